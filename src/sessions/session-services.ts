// What the calls of a session may use beside its files and commands: its background tasks, its schedules and settings, and
// what the composition root joins for it. All of it ends with the session.
import type { CommandRunner, SessionControls, TaskSummary, ToolServices } from '../contract/index.ts';
import { SessionTasks, type KeptTask } from './tasks/background-tasks.ts';
import { sessionControls } from './settings/session-controls.ts';
import { SessionSchedules } from './tasks/session-schedules.ts';
import type { OutsideServices, ServedSession, SessionParts } from './session-parts.ts';
import type { SessionSettings } from './settings/session-options.ts';

/** What it knows of its session. */
interface Served extends ServedSession {
  readonly parts: SessionParts;
  readonly guard: { readonly runner: CommandRunner };
  change(next: (settings: SessionSettings) => SessionSettings): Promise<void>;
  /** Keeps the session as it is now. Never throws. */
  keep(): void;
  noteTask(task: TaskSummary): Promise<void>;
  unschedule(id: string): Promise<void>;
}

export class SessionServices {
  readonly tasks: SessionTasks;
  readonly #session: Served;
  readonly #outside: OutsideServices;
  readonly #schedules: SessionSchedules;
  readonly #controls: SessionControls;
  #closing: Promise<void> | undefined;

  constructor(session: Served) {
    const { parts, place } = session;
    this.#session = session;
    this.tasks = new SessionTasks({
      limit: parts.limits.tasksPerSession,
      outputFileFor: (taskId) => place.outputs.pathFor(taskId, 0),
      commands: session.guard.runner,
      onStarted: () => session.keep(),
      onEnded: (task) => session.noteTask(task),
    });
    this.#outside = parts.servicesFor(session, this.tasks);
    this.#controls = sessionControls(session);
    this.#schedules = new SessionSchedules({
      run: (schedule) => this.#outside.runSchedule(schedule),
      onDone: (id) => void session.unschedule(id).catch((error: unknown) => parts.report(`schedule ${id} could not be removed`, error)),
    });
  }

  /** Takes up what was kept of the session. */
  restore(tasks: readonly KeptTask[]): void {
    this.tasks.restore(tasks);
    this.renew();
  }

  /** What one turn's calls get. */
  get forCalls(): Omit<ToolServices, 'files' | 'commands' | 'toolIndex'> {
    const { web, model, agents, teams, languageServers } = this.#outside;
    const { tasks } = this;
    return { tasks, web, model, agents, teams, languageServers, skills: this.#session.place.skills, controls: this.#controls };
  }

  /** True while something goes on that would end if the session were let go from memory. */
  get busy(): boolean {
    return this.tasks.running > 0 || this.#schedules.size > 0 || this.#outside.busy;
  }

  /** The state of the session may have changed. */
  renew(): void {
    this.#schedules.renew(this.#session.state.schedules ?? []);
  }

  /** Stops what runs, once however often it is called. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#schedules.close();
    await this.tasks.close();
    await this.#outside.close();
  }
}
