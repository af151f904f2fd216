// What an operator may write down about language servers: name → server.
import { z } from 'zod';
import { programFields, ServerName } from '../contract/index.ts';

const MAX_SERVERS = 50;
const MAX_EXTENSIONS = 100;

/** The key of a file's kind, and what it is called in the protocol, such as `typescript`. */
const Extensions = z
  .record(
    z.string().regex(/^\.[^\s/\\]{1,30}$/, { error: 'Give file extensions with their dot, such as ".ts".' }),
    z.string({ error: 'Give the id of the language, such as "typescript".' }).regex(/^[\w.+#-]{1,50}$/, {
      error: 'The id of a language has letters, digits and . _ + # - only.',
    }),
  )
  .refine((extensions) => Object.keys(extensions).length > 0, { error: 'Name at least one extension, such as {".ts": "typescript"}.' })
  .refine((extensions) => Object.keys(extensions).length <= MAX_EXTENSIONS, { error: `At most ${MAX_EXTENSIONS} extensions.` });

const Server = z.strictObject({
  ...programFields(),
  extensions: Extensions.describe('Extensions of the files that it is asked about, and the id of the language of each.'),
  initialization_options: z.json().optional().describe('Sent to the server as it is when it starts.'),
  startup_ms: z.int().min(100).max(600_000).default(30_000).describe('Milliseconds that it may take until it is ready to be asked.'),
  sandbox: z.literal(false, { error: 'Leave it out, or give false.' }).optional().describe('false: it runs outside of the sandbox.'),
});

/** `language_servers` of the operator. Each extension belongs to one server. */
export const LanguageServerSettings = z
  .record(ServerName, Server)
  .refine((servers) => Object.keys(servers).length <= MAX_SERVERS, { error: `At most ${MAX_SERVERS} language servers.` })
  .superRefine((servers, context) => {
    const owners = new Map<string, string>();
    for (const [name, { extensions }] of Object.entries(servers)) {
      for (const extension of Object.keys(extensions).map((key) => key.toLowerCase())) {
        const owner = owners.get(extension);
        if (owner === undefined) owners.set(extension, name);
        else {
          const message = `${extension} belongs to ${owner} already: let one server have it.`;
          context.addIssue({ code: 'custom', path: [name, 'extensions'], message });
        }
      }
    }
  });
export type LanguageServerSettings = z.output<typeof LanguageServerSettings>;
export type LanguageServerSetting = LanguageServerSettings[string];
