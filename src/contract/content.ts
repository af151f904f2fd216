// What travels between a model and a tool: the call, and the content of its result.
// Shapes are those of the Anthropic Messages API, which the other formats are translated from and to.

/** One call as the model asked for it. `input` is whatever the model sent, not yet checked. */
export interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** Set when the argument text could not be parsed: the reason, ready for the model. The call then never runs. */
  readonly inputError?: string;
}

export interface TextBlock {
  type: 'text';
  text: string;
}

export interface ImageBlock {
  type: 'image';
  source: { type: 'base64'; media_type: string; data: string };
}

export interface DocumentBlock {
  type: 'document';
  source: { type: 'base64'; media_type: 'application/pdf'; data: string };
  title?: string;
}

export interface ToolReferenceBlock {
  type: 'tool_reference';
  tool_name: string;
}

export type ContentBlock = TextBlock | ImageBlock | DocumentBlock | ToolReferenceBlock;

/** The content of a result: plain text, or blocks. */
export type ResultContent = string | ContentBlock[];

/** The text of a result: that of its text blocks, one below the other. */
export function textOf(content: ResultContent): string {
  if (typeof content === 'string') return content;
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** The block that goes back to the model, exactly one a call. */
export interface ToolResultBlock {
  type: 'tool_result';
  tool_use_id: string;
  content: ResultContent;
  is_error: boolean;
}

/** The model-facing formats that messages come in and results go out in. */
export const MESSAGE_FORMATS = ['anthropic', 'openai_chat', 'openai_responses'] as const;
export type MessageFormat = (typeof MESSAGE_FORMATS)[number];
