// The least that can start and say that it is ready.
import fastify from 'fastify';

const app = fastify();
app.get('/readyz', () => ({ status: 'ok' }));
process.once('SIGTERM', () => void app.close());
await app.listen({ host: '127.0.0.1', port: Number(process.env['TOOLEXEC_PORT']) });
