import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { elapsed } from "../../base/format.js";
import { isTyping } from "../../base/is-typing.js";
import type { JsonObject } from "../../base/json.js";
import { visibleLine } from "../../base/visible.js";
import { ErrorBoundary } from "../../parts/error-boundary.js";
import { Badge, Key, Problem, SourceTag } from "../../parts/small-parts.js";
import { clock } from "../../state/clock.js";
import type { OpenQuestion } from "../../state/open-questions.js";
import { addressOf } from "../../state/route.js";
import { usePage } from "../../state/use-page.js";
import { type Answer, answerQuestion } from "./answer-question.js";
import { ApprovalBody } from "./approval-body.js";
import { cardId, focusCard } from "./card-element.js";
import { DenyForm } from "./deny-form.js";
import { EditForm } from "./edit-form.js";
import { ElicitationForm } from "./elicitation-form.js";
import { grantText } from "./grant-text.js";
import type { Inbox } from "./inbox-state.js";
import { QuestionForm } from "./question-form.js";
import { useExactApproval } from "./use-exact-approval.js";

/** One open question with its buttons. */
export function ApprovalCard({
  question,
  inbox,
}: {
  readonly question: OpenQuestion;
  readonly inbox: Inbox;
}): JSX.Element {
  const page = usePage();
  const { isAnswerable } = question;
  const approval = useExactApproval(page, question);
  const { id, tool, kind } = approval;
  const [isBusy, setBusy] = useState(false);
  const isSent = useRef(false);
  const [problem, setProblem] = useState<string>();
  const isSelected = inbox.selected.value === id;
  const mode = inbox.mode.value?.id === id ? inbox.mode.value.kind : "view";
  const [isBroken, setBroken] = useState(false);
  const mayAnswer = isAnswerable && page.canControl.value;
  const canAnswer = mayAnswer && approval.cut === undefined;
  // A call whose card could not be drawn may only be denied.
  const canAllow = canAnswer && !isBroken;

  const send = async (answer: Answer) => {
    const isYes = !NO.has(answer.decision);
    if (isSent.current || !canAnswer || (isYes && !canAllow)) return;
    isSent.current = true;
    setBusy(true);
    inbox.setAnswered(id, true);
    const failed = await answerQuestion(page, question, answer);
    setProblem(failed);
    // The card goes as soon as the answer has counted.
    if (failed === undefined) return;
    inbox.setAnswered(id, false);
    isSent.current = false;
    setBusy(false);
  };
  // The keys of the inbox reach the card that is selected by these functions.
  useEffect(() => inbox.offer(id, { send, approval, canAllow }));
  const back = () => {
    inbox.view(id);
    focusCard(id);
  };

  return (
    <article
      id={cardId(id)}
      class={`card ${isSelected ? "card-selected" : ""}`}
      aria-labelledby={`${cardId(id)}-title`}
      aria-current={isSelected}
      tabIndex={-1}
      onFocusCapture={(event) => {
        inbox.setTyping(isTyping(event.target) ? id : undefined);
        // The card itself gets the focus when another one has gone. A person has not chosen it by that.
        if (event.target !== event.currentTarget) inbox.select(id);
      }}
      onPointerDown={() => inbox.select(id)}
    >
      <header class="card-head">
        <Badge tone="accent">{tool ?? kind}</Badge>
        <h2 id={`${cardId(id)}-title`}>{titleOf(approval)}</h2>
      </header>
      <CardFacts question={question} />
      <ErrorBoundary what="this question" onError={() => setBroken(true)}>
        <ApprovalBody approval={approval} />
      </ErrorBoundary>
      <Problem text={problem} />
      {approval.cut !== undefined && !mayAnswer && (
        <p class="dim">Long texts and secrets are left out.</p>
      )}
      {!isAnswerable && (
        <p class="dim">
          This question is answered elsewhere: the program did not give its approvals to
          inspector().
        </p>
      )}
      {mayAnswer && !canAnswer && <p class="dim">Reading the exact input…</p>}
      {canAllow && mode === "edit" && (
        <EditForm
          tool={tool ?? ""}
          input={approval.input ?? {}}
          isBusy={isBusy}
          onAllow={(updatedInput: JsonObject) => send({ decision: "allow", updatedInput })}
          onCancel={back}
        />
      )}
      {canAnswer && mode === "deny" && (
        <DenyForm
          isBusy={isBusy}
          onCancel={back}
          onDeny={(message, interrupt) =>
            send({
              decision: "deny",
              ...(message !== "" && { message }),
              ...(interrupt && { interrupt }),
            })
          }
        />
      )}
      {canAllow && mode === "view" && (
        <ErrorBoundary what="the form of this question">
          <Buttons approval={approval} isBusy={isBusy} inbox={inbox} send={send} />
        </ErrorBoundary>
      )}
      {canAnswer && isBroken && mode === "view" && (
        <RefusalButton approval={approval} isBusy={isBusy} inbox={inbox} send={send} />
      )}
    </article>
  );
}

/** The answers that allow nothing. */
const NO: ReadonlySet<Answer["decision"]> = new Set(["deny", "decline", "cancel"]);

/** What is asked, in a few words. The name of the tool stands before it, and the path of a file below it. */
function titleOf({ summary, tool, diff }: OpenQuestion["approval"]): string {
  // A diff that is none fails in the body of the card, which can then be denied. The title must not fail before.
  const file = typeof diff?.path === "string" ? diff.path.split("/").at(-1) : "";
  if (file !== undefined && file !== "") return visibleLine(file);
  const isNamed = tool !== undefined && summary.startsWith(`${tool} `);
  return isNamed ? summary.slice(tool.length + 1) : summary;
}

/** Who asks, and since when. */
function CardFacts({
  question: { source, approval },
}: {
  readonly question: OpenQuestion;
}): JSX.Element {
  const { askedAt, expiresAt, session, sessionId, agentId, tenant, run } = approval;
  const now = clock.value;
  const live = session ?? source.live.sessionsOf(sessionId ?? "").at(-1)?.id;
  return (
    <p class="facts">
      <SourceTag source={source} />
      {live !== undefined && (
        <a href={addressOf("live", source.info.id, live)}>session {live.split("_").at(-1)}</a>
      )}
      {run !== undefined && (
        <a href={addressOf("live", source.info.id, `run:${run}`)}>run {run.slice(0, 8)}</a>
      )}
      {tenant !== undefined && <span>{tenant}</span>}
      {agentId !== undefined && <span>sub-agent {agentId}</span>}
      <span>waits {elapsed(now - Date.parse(askedAt))}</span>
      {expiresAt !== undefined && (
        <span class="warn">expires in {elapsed(Date.parse(expiresAt) - now)}</span>
      )}
    </p>
  );
}

interface ButtonsProps {
  readonly approval: OpenQuestion["approval"];
  readonly isBusy: boolean;
  readonly inbox: Inbox;
  readonly send: (answer: Answer) => Promise<void>;
}

/** A question that the page cannot show can only be refused. */
function RefusalButton({ approval: { id, kind }, isBusy, inbox, send }: ButtonsProps): JSX.Element {
  const refuse = () =>
    kind === "elicitation" ? void send({ decision: "decline" }) : inbox.deny(id);
  return (
    <div class="actions">
      <button type="button" class="danger" disabled={isBusy} onClick={refuse}>
        {kind === "elicitation" ? "Decline" : "Deny"} <Key name="d" />
      </button>
    </div>
  );
}

function Buttons({ approval, isBusy, inbox, send }: ButtonsProps): JSX.Element {
  const { id, kind } = approval;
  if (kind === "elicitation") {
    return <ElicitationForm approval={approval} isBusy={isBusy} onAnswer={send} />;
  }
  if (kind === "question") {
    return (
      <QuestionForm
        approval={approval}
        isBusy={isBusy}
        onAnswer={(answers) => send({ decision: "answer", answers })}
        onDeny={() => inbox.deny(id)}
      />
    );
  }
  const grant = grantText(approval);
  return (
    <>
      <div class="actions">
        <button
          type="button"
          class="primary"
          disabled={isBusy}
          onClick={() => send({ decision: "allow" })}
        >
          {kind === "plan" ? "Carry out the plan" : "Allow once"} <Key name="a" />
        </button>
        {grant !== undefined && (
          <button
            type="button"
            disabled={isBusy}
            onClick={() => send({ decision: "allow", scope: "session" })}
          >
            Allow for this session <Key name="s" />
          </button>
        )}
        <button type="button" disabled={isBusy} onClick={() => inbox.edit(id)}>
          Edit <Key name="e" />
        </button>
        <button type="button" class="danger" disabled={isBusy} onClick={() => inbox.deny(id)}>
          Deny <Key name="d" />
        </button>
      </div>
      {grant !== undefined && <p class="dim grant">For this session: {grant}</p>}
    </>
  );
}
