import { once } from "node:events";
import type { Approval, ApprovalDecision, ApprovalRecord, Approvals } from "hawser";
import type { GatewayFleet } from "../fleet/gateway-fleet.js";
import type { EventFeed } from "./event-feed.js";
import { maySee, type NativeAccess } from "./native-access.js";

/** Questions of one origin, as far as a user may see them. */
export interface ApprovalSource {
  pending(access: NativeAccess): Promise<readonly ShownApproval[]>;
  /** The newest ones, the oldest of them first. */
  records(access: NativeAccess, limit: number): Promise<readonly ApprovalRecord[]>;
  answer(id: string, decision: ApprovalDecision, by: string): Promise<"counted" | "too_late">;
  /** Begins with the open questions, and goes on with every change until the signal aborts. */
  changes(access: NativeAccess, signal: AbortSignal): AsyncIterable<ShownChange>;
}

/** A question, with the tenant that it belongs to and the API's id of its session, if it has one here. */
export interface ShownApproval {
  readonly approval: Approval;
  readonly tenant?: string | undefined;
  readonly session?: string | undefined;
}

export type ShownChange =
  | { readonly type: "asked"; readonly shown: ShownApproval }
  | { readonly type: "settled"; readonly record: ApprovalRecord }
  /** Changes were missed, so that the reader has to begin anew. */
  | { readonly type: "missed" };

/** The questions of the sessions and calls of this program. */
export function localApprovals(approvals: Approvals, feed: EventFeed): ApprovalSource {
  const tenantOf = ({ sessionId }: Pick<Approval, "sessionId">) =>
    feed.owners.tenantOfId(sessionId);
  const isVisible = (access: NativeAccess) => (each: Approval | ApprovalRecord) =>
    maySee(access, tenantOf(each));
  const shownOf = (approval: Approval): ShownApproval => ({
    approval,
    tenant: tenantOf(approval),
    session: feed.state.sessionsOf(approval.sessionId ?? "").at(-1)?.id,
  });
  return {
    pending: async (access) => approvals.pending().filter(isVisible(access)).map(shownOf),
    records: async (access, limit) => approvals.records().filter(isVisible(access)).slice(-limit),
    answer: (id, decision, by) => approvals.answer(id, decision, { by }),
    async *changes(access, signal) {
      const changes = approvals[Symbol.asyncIterator]();
      const end = () => void changes.return?.();
      signal.addEventListener("abort", end, { once: true });
      if (signal.aborted) end();
      try {
        for await (const change of changes) {
          if (change.type === "missed") yield { type: "missed" };
          else if (change.type === "asked") {
            if (isVisible(access)(change.approval)) {
              yield { type: "asked", shown: shownOf(change.approval) };
            }
          } else if (isVisible(access)(change.record)) {
            yield { type: "settled", record: change.record };
          }
        }
        // Approvals that were closed ask nothing more, and must not end the questions of others.
        if (!signal.aborted) await once(signal, "abort");
      } finally {
        signal.removeEventListener("abort", end);
      }
    },
  };
}

/** The questions of the runs of a fleet. */
export function fleetApprovals({ approvals }: GatewayFleet): ApprovalSource {
  const filterOf = (access: NativeAccess) => (access.isAdmin ? {} : { tenant: access.name });
  return {
    pending: async (access) => {
      const open = await approvals.pending(filterOf(access));
      return open.map((approval) => ({ approval, tenant: approval.tenant }));
    },
    records: (access, limit) => approvals.records({ ...filterOf(access), limit }),
    answer: (id, decision, by) => approvals.answer(id, decision, { by }),
    async *changes(access, signal) {
      for await (const change of approvals.watch({ ...filterOf(access), signal })) {
        if (change.type !== "asked") yield { type: "settled", record: change.record };
        else {
          const { approval } = change;
          yield { type: "asked", shown: { approval, tenant: approval.tenant } };
        }
      }
    },
  };
}
