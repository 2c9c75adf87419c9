import { useEffect, useState } from "preact/hooks";
import { isObject, objectOf } from "../../base/json.js";
import { nativePath } from "../../net/api.js";
import type { ShownApproval } from "../../net/approval-shape.js";
import type { OpenQuestion } from "../../state/open-questions.js";
import type { PageState } from "../../state/page-state.js";

/**
 * The question with its exact input. The stream cuts long values and masks secrets; an edited input goes to the tool
 * as it is, so that it must begin with the exact one. The result has `cut` until the exact input has arrived.
 */
export function useExactApproval(page: PageState, question: OpenQuestion): ShownApproval {
  const { approval, source, isAnswerable } = question;
  const [exact, setExact] = useState<ShownApproval>();
  const isCut = isAnswerable && approval.cut !== undefined;
  useEffect(() => {
    if (!isCut) return;
    const leave = new AbortController();
    const path = nativePath(source.info.id, `/approvals/${encodeURIComponent(approval.id)}`);
    let timer: number | undefined;
    const read = () =>
      page.api.get(path, leave.signal).then(
        (body) => {
          const found = objectOf(body)["approval"];
          if (isObject(found)) setExact(found as unknown as ShownApproval);
        },
        // The question has ended, and its card goes; or the connection is lost, and comes back.
        () => {
          if (!leave.signal.aborted) timer = window.setTimeout(read, AGAIN_MS);
        },
      );
    void read();
    return () => {
      leave.abort();
      clearTimeout(timer);
    };
  }, [page, source, approval.id, isCut]);
  if (exact === undefined) return approval;
  const { cut: _, ...known } = approval;
  return { ...known, ...exact };
}

const AGAIN_MS = 1_000;
