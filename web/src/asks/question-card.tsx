// Questions that a model puts to people: choices, own words, or both.
import { useSignal, type Signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { answersContent, type Question } from '../model/questions.ts';
import type { Call } from '../model/session-model.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { useAction } from '../parts/use-action.ts';
import type { LiveSession } from '../session/live-session.ts';

type Texts = Signal<Readonly<Record<string, string>>>;
type Choices = Signal<Readonly<Record<string, readonly string[]>>>;

interface QuestionCardProps {
  readonly session: LiveSession;
  readonly call: Call;
  readonly questions: readonly Question[];
}

export function QuestionCard({ session, call, questions }: QuestionCardProps) {
  const chosen: Choices = useSignal({});
  const written: Texts = useSignal({});
  const action = useAction();
  const { turns } = session.remote;
  const answer = (): Promise<void> =>
    turns.answer(call.turnId, call.id, { content: answersContent(questions, { chosen: chosen.value, written: written.value }) });
  return (
    <form
      class="ask"
      aria-label={`${call.name} asks`}
      onSubmit={(event) => {
        event.preventDefault();
        action.run(answer);
      }}
    >
      {questions.map((question) => (
        <OneQuestion key={question.question} question={question} chosen={chosen} written={written} />
      ))}
      <div class="actions">
        <button type="submit" class="primary" disabled={action.busy.value}>
          Answer
        </button>
      </div>
      <FaultNote fault={action.fault} />
    </form>
  );
}

function OneQuestion({
  question: { question, header, options, multiSelect },
  chosen,
  written,
}: {
  question: Question;
  chosen: Choices;
  written: Texts;
}) {
  const name = useId();
  const labels = chosen.value[question] ?? [];
  const choose = (label: string, isOn: boolean): void => {
    const others = multiSelect ? labels.filter((other) => other !== label) : [];
    chosen.value = { ...chosen.value, [question]: isOn ? [...others, label] : others };
  };
  return (
    <fieldset>
      <legend>
        {header !== '' && <span class="tag">{header}</span>} {question}
      </legend>
      {options.map(({ label, description }) => (
        <label key={label} class="choice">
          <input
            type={multiSelect ? 'checkbox' : 'radio'}
            name={name}
            checked={labels.includes(label)}
            onChange={({ currentTarget }) => choose(label, currentTarget.checked)}
          />
          <span>
            <b>{label}</b> {description}
          </span>
        </label>
      ))}
      <label>
        In your own words
        <input
          type="text"
          value={written.value[question] ?? ''}
          onInput={({ currentTarget }) => (written.value = { ...written.value, [question]: currentTarget.value })}
        />
      </label>
    </fieldset>
  );
}
