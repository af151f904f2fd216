import { follow } from '../navigation.ts';

export function Welcome() {
  return (
    <section class="card welcome">
      <h1>Watch tool calls run</h1>
      <p>Open a session at the side to see its turns as they happen, answer what waits for people, and look at any call.</p>
      <p>
        <a class="button primary" href="/console/new" onClick={follow}>
          New session
        </a>
      </p>
    </section>
  );
}
