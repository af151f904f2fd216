// What a hook is told of an occasion, in the words that hook scripts know.
import type { HookedCall, HookOccasion, PermissionContext } from '../contract/index.ts';

/** The JSON that a command reads and a URL is sent. Never throws: what is no JSON is told as the text that the model gets. */
export function hookInput(occasion: HookOccasion, { sessionId, state }: PermissionContext): string {
  const common = {
    session_id: sessionId,
    // There is no file of the conversation; scripts that read the field find a text.
    transcript_path: '',
    cwd: state.cwd,
    permission_mode: state.mode,
    hook_event_name: occasion.event,
  };
  try {
    return JSON.stringify({ ...common, ...about(occasion) });
  } catch {
    // The output of a tool may hold what JSON has no word for; its content always has one.
    return JSON.stringify({ ...common, ...about(withoutOutput(occasion)) });
  }
}

function about(occasion: HookOccasion): Record<string, unknown> {
  switch (occasion.event) {
    case 'PreToolUse':
      return callFields(occasion.call);
    case 'PostToolUse':
      return { ...callFields(occasion.call), tool_response: occasion.output ?? occasion.content, duration_ms: occasion.durationMs };
    case 'PostToolUseFailure':
      return {
        ...callFields(occasion.call),
        error: occasion.error,
        is_interrupt: occasion.interrupted,
        duration_ms: occasion.durationMs,
      };
    case 'PostToolBatch':
      return { tool_calls: occasion.calls.map((call) => ({ ...callFields(call), tool_response: call.content })) };
    case 'PermissionRequest':
      return { ...callFields(occasion.call), permission_suggestions: occasion.suggestions.map(suggestion) };
    case 'PermissionDenied':
      return { ...callFields(occasion.call), reason: occasion.reason };
    case 'SessionStart':
      return { source: occasion.source };
    case 'SessionEnd':
      return { reason: occasion.reason };
  }
}

function callFields({ tool, input, toolUseId }: HookedCall): Record<string, unknown> {
  return { tool_name: tool.name, tool_input: input, tool_use_id: toolUseId };
}

function suggestion(rule: string): Record<string, unknown> {
  const [, toolName = rule, ruleContent] = /^([^(]+)\((.*)\)$/s.exec(rule) ?? [];
  return {
    type: 'addRules',
    rules: [{ toolName, ...(ruleContent !== undefined && { ruleContent }) }],
    behavior: 'allow',
    destination: 'session',
  };
}

function withoutOutput(occasion: HookOccasion): HookOccasion {
  return occasion.event === 'PostToolUse' ? { ...occasion, output: undefined } : occasion;
}
