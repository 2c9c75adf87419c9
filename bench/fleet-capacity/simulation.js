// A small discrete-event simulation. A process is a generator: it yields what it waits for, and goes on when that has
// happened. Simulated time is in milliseconds and passes only between events.

export class Simulation {
  now = 0;
  #events = new EventHeap();

  /** Starts a process now. */
  start(process) {
    this.#step(process);
  }

  /** What a process yields to wait for a time. */
  delay(ms) {
    return (resume) => this.#events.push(this.now + ms, resume);
  }

  /** Runs until this time, or until nothing is left to happen. `now` is then the time of the last event. */
  run(untilMs) {
    for (;;) {
      const next = this.#events.nextTime();
      if (next === undefined || next > untilMs) return;
      this.now = next;
      this.#events.pop()();
    }
  }

  #step(process) {
    const resume = () => {
      const { done, value } = process.next();
      if (!done) value(resume);
    };
    resume();
  }
}

/** A number of equal servers with one queue in front of them: the cores of a machine, or a lock, which is one server. */
export class Servers {
  /** How long servers were taken, all together. */
  busyMs = 0;
  #simulation;
  #free;
  #waiting = new Line();

  constructor(simulation, count) {
    this.#simulation = simulation;
    this.#free = count;
  }

  get waiting() {
    return this.#waiting.length;
  }

  /** What a process yields to get a server. It must be released. */
  acquire() {
    return (resume) => {
      if (this.#free === 0) return this.#waiting.push(resume);
      this.#free -= 1;
      resume();
    };
  }

  /** `heldMs`: how long the server was taken. */
  release(heldMs) {
    this.busyMs += heldMs;
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }

  /** Waits for a server, takes it for a time, and releases it. */
  *use(ms) {
    yield this.acquire();
    yield this.#simulation.delay(ms);
    this.release(ms);
  }
}

/** First in, first out. `Array.shift()` would move every element. */
export class Line {
  #items = [];
  #first = 0;

  get length() {
    return this.#items.length - this.#first;
  }

  push(item) {
    this.#items.push(item);
  }

  shift() {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#first];
    this.#items[this.#first++] = undefined;
    if (this.#first > 1_024 && this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }
}

/** Events by time; those of one time in the order in which they were added. */
class EventHeap {
  #heap = [];
  #count = 0;

  nextTime() {
    return this.#heap[0]?.time;
  }

  push(time, action) {
    const heap = this.#heap;
    const event = { time, number: this.#count++, action };
    let place = heap.push(event) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (isBefore(heap[parent], event)) break;
      heap[place] = heap[parent];
      place = parent;
    }
    heap[place] = event;
  }

  pop() {
    const heap = this.#heap;
    const [{ action }] = heap;
    const last = heap.pop();
    if (heap.length > 0) this.#sink(last);
    return action;
  }

  #sink(event) {
    const heap = this.#heap;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child += 1;
      if (isBefore(event, heap[child])) break;
      heap[place] = heap[child];
      place = child;
    }
    heap[place] = event;
  }
}

function isBefore(a, b) {
  return a.time < b.time || (a.time === b.time && a.number < b.number);
}
