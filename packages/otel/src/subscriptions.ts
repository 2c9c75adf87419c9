import { type Context, context, diag } from "@opentelemetry/api";
import type { EventChannel, TracedChannel } from "hawser";
import { ContextStore } from "./context-store.js";
import { SCOPE_NAME } from "./conventions.js";

/**
 * The subscriptions of one instrumentation. No listener ever throws, because Node would end the program for it: a
 * fault, also of an exporter or a span processor, is reported to the diagnostics of OpenTelemetry.
 */
export class Subscriptions {
  readonly #removals: (() => void)[] = [];
  readonly #log = diag.createComponentLogger({ namespace: SCOPE_NAME });

  on<Event>(channel: EventChannel<Event>, listener: (event: Event) => void): void {
    const guarded = (event: Event) => this.guard(() => listener(event), undefined);
    channel.subscribe(guarded);
    this.#removals.push(() => channel.unsubscribe(guarded));
  }

  /** Runs the work of a tracing channel inside a context. Without one, the active context stays. */
  bind<Traced extends object>(
    start: TracedChannel<Traced>,
    contextOf: (traced: Traced) => Context | undefined,
  ): void {
    const store = new ContextStore();
    const transform = (traced: Traced) =>
      this.guard(() => contextOf(traced), undefined) ?? context.active();
    start.bindStore(store, transform);
    this.#removals.push(() => start.unbindStore(store));
  }

  guard<T>(work: () => T, otherwise: T): T {
    try {
      return work();
    } catch (error) {
      try {
        this.#log.error("an event of hawser could not be recorded", error);
      } catch {
        // The logger is a program of the user as well.
      }
      return otherwise;
    }
  }

  close(): void {
    for (const remove of this.#removals.splice(0)) remove();
  }
}
