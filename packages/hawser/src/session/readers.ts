import { HawserError } from "../base/index.js";
import { isMessage, type Message } from "../wire/index.js";
import { MessageStream, type StreamEvents } from "./turns/message-stream.js";

/** Who reads a session: its own one reader, and through `events` the readers of its turns. */
export class Readers {
  readonly events: StreamEvents;
  readonly #showsEvents: boolean;
  #stream: MessageStream | undefined;
  #waiting = 0;
  #behind = 0;

  constructor(showsEvents: boolean, onWaiting: () => void, onBehind: (behind: boolean) => void) {
    this.#showsEvents = showsEvents;
    this.events = {
      onWaiting: (waiting) => {
        this.#waiting += waiting ? 1 : -1;
        onWaiting();
      },
      onFull: (full) => {
        this.#behind += full ? 1 : -1;
        onBehind(this.#behind > 0);
      },
    };
  }

  /** Whether anybody waits for a message. */
  get waiting(): boolean {
    return this.#waiting > 0;
  }

  /** Everything from now on. */
  read(session: object): AsyncIterableIterator<Message> {
    if (this.#stream !== undefined) throw new HawserError("already_consumed");
    this.#stream = new MessageStream(this.events);
    return this.#stream.read(session);
  }

  push(message: Message, size: number): void {
    if (this.#showsEvents || !isMessage(message, "stream_event")) this.#stream?.push(message, size);
  }

  end(error: HawserError | undefined): void {
    this.#stream?.end(error);
  }
}
