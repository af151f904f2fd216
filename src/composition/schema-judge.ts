// Schemas of MCP servers, judged as those of all other tools are.
import { buildTool, type Tool } from '../contract/index.ts';
import type { SchemaJudge } from '../mcp/client/ports.ts';
import { schemaFault } from '../toolbox/check-schema.ts';
import { inputValidator } from '../toolbox/input-validator.ts';

export const SCHEMA_JUDGE: SchemaJudge = {
  fault: (schema) => schemaFault(toolWith(schema)),
  compile(schema) {
    const validate = inputValidator(toolWith(schema));
    return (value) => {
      const checked = validate(value);
      if (checked.ok) return undefined;
      const [first] = checked.issues;
      return `${first?.path.join('.') ?? ''}: ${first?.message ?? 'it is not valid'}`;
    };
  },
};

function toolWith(schema: object): Tool {
  return buildTool({
    name: 'schema',
    inputSchema: { ...schema },
    description: () => '',
    call: () => ({ content: '' }),
  }) as Tool;
}
