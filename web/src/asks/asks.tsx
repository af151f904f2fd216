// What waits for people: approvals, and questions that the client is to answer. New ones are told to those who listen.
import { callKey, type SessionModel } from '../model/session-model.ts';
import { questionsOf } from '../model/questions.ts';
import type { LiveSession } from '../session/live-session.ts';
import { ApprovalCard } from './approval-card.tsx';
import { ClientCallCard } from './client-call-card.tsx';
import { QuestionCard } from './question-card.tsx';

export function Asks({ session }: { session: LiveSession }) {
  const { model, version, state } = session;
  // While the past is replayed, questions of then come and go.
  const isLive = version.value >= 0 && state.value === 'live';
  const approvals = isLive ? [...model.approvals.values()] : [];
  const calls = isLive ? [...model.clientCalls] : [];
  return (
    <>
      <p class="sr-only" aria-live="assertive">
        {announcement(model, approvals.length + calls.length)}
      </p>
      {approvals.length + calls.length > 0 && (
        <section class="asks" aria-label="Waits for you">
          {approvals.map((pending) => (
            <ApprovalCard key={pending.approval.id} session={session} pending={pending} />
          ))}
          {calls.map((call) => {
            const questions = questionsOf(call.input);
            const key = callKey(call.turnId, call.id);
            return questions === null ? (
              <ClientCallCard key={key} session={session} call={call} />
            ) : (
              <QuestionCard key={key} session={session} call={call} questions={questions} />
            );
          })}
        </section>
      )}
    </>
  );
}

function announcement({ approvals, clientCalls }: SessionModel, count: number): string {
  if (count === 0) return '';
  const names = [...[...approvals.values()].map(({ approval }) => approval.name), ...[...clientCalls].map(({ name }) => name)];
  return `${count} ${count === 1 ? 'call waits' : 'calls wait'} for you: ${names.slice(0, 5).join(', ')}.`;
}
