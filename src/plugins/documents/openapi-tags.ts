/** The groups of operations, in the order of the reference. */
export const TAGS = [
  {
    name: 'sessions',
    description: 'A workspace, settings and a log. Turns of one session run one after another; sessions run side by side.',
  },
  { name: 'messages', description: "Run the tool calls of a model's message, and get what to append to the conversation." },
  { name: 'turns', description: 'One message being run, or having been run: read it, wait for it, stop it.' },
  {
    name: 'tasks',
    description: 'What goes on in the background of a session when its call has been answered. Nothing of it outlives the session.',
  },
  {
    name: 'events',
    description: 'The log of a session, live and from any point on. The same events travel over the WebSocket; see `/asyncapi.yaml`.',
  },
  { name: 'files', description: 'The workspace of a session: bytes in and out, of any length.' },
  { name: 'approvals', description: 'Calls that wait for a person, and the answers.' },
  { name: 'tools', description: "The tools of a session, in the form that a model's API takes as `tools`." },
  { name: 'operations', description: 'For whoever runs the service.' },
] as const;
