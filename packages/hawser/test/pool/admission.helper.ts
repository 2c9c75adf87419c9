import { HawserError } from "../../src/base/index.js";
import {
  Admission,
  type AdmissionRequest,
  type ProcessSupply,
  type Slot,
} from "../../src/pool/admission/admission.js";
import type { Binding } from "../../src/pool/binding.js";
import { type PoolOptions, settingsOf } from "../../src/pool/options.js";

/** Only its key matters to the admission. */
export function bindingOf(requestKey: string): Binding {
  return { requestKey } as Binding;
}

export const REQUEST: AdmissionRequest = {
  priority: 0,
  tenant: undefined,
  lane: "lane",
  account: "account",
  binding: bindingOf("kind"),
  purpose: "call",
  deadlineAt: undefined,
  signal: undefined,
};

const EVERY_PROCESS_FITS: ProcessSupply = { hasPlaceFor: () => true, countFor: () => 1 };

/** An Admission, and what became of each request: "in", "waits", or the error of its refusal. */
export class AdmissionFixture {
  readonly admission: Admission;
  readonly slots = new Map<string, Slot>();
  readonly fates = new Map<string, HawserError | "in" | "waits">();
  /** The names of the admitted requests, in the order of their admission. */
  readonly order: string[] = [];

  constructor(options: PoolOptions, supply: ProcessSupply = EVERY_PROCESS_FITS) {
    this.admission = new Admission(settingsOf(options), 1, supply);
  }

  async enter(name: string, more: Partial<AdmissionRequest> = {}): Promise<string> {
    this.fates.set(name, "waits");
    this.admission.enter({ ...REQUEST, ...more }).then(
      (slot) => {
        this.slots.set(name, slot);
        this.order.push(name);
        this.fates.set(name, "in");
      },
      (error: HawserError) => this.fates.set(name, error),
    );
    await settle();
    return this.fate(name);
  }

  async release(name: string, failure?: HawserError): Promise<void> {
    const slot = this.slots.get(name);
    slot?.charge.settle(false);
    slot?.release(failure);
    await settle();
  }

  /** Releases one slot after the other until none is left. */
  async releaseAll(): Promise<string[]> {
    for (let at = 0; at < this.order.length; at += 1) await this.release(this.order[at] ?? "");
    return this.order;
  }

  fate(name: string): string {
    const fate = this.fates.get(name);
    return fate instanceof HawserError ? fate.code : String(fate);
  }

  get counts(): number[] {
    return [this.admission.running, this.admission.queued];
  }
}

export async function settle(): Promise<void> {
  for (let n = 0; n < 5; n += 1) await Promise.resolve();
}
