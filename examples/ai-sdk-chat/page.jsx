// @ts-nocheck: this file runs in a browser, and is checked by no types of Node.
import { useChat } from "@ai-sdk/react";
import { lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";
import { createRoot } from "react-dom/client";

function Chat() {
  const { messages, status, error, sendMessage, addToolApprovalResponse } = useChat({
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const say = (event) => {
    event.preventDefault();
    const { value } = event.target.elements.prompt;
    event.target.reset();
    sendMessage({ text: value });
  };
  const answer = (id, approved) =>
    addToolApprovalResponse({ id, approved, reason: approved ? undefined : "The user said no." });
  return (
    <>
      {messages.map(({ id, role, parts }) => (
        <section key={id} className={role}>
          {parts.map((part, index) =>
            part.type === "text" ? (
              <p key={index}>{part.text}</p>
            ) : part.type === "dynamic-tool" ? (
              <Tool key={index} part={part} answer={answer} />
            ) : null,
          )}
        </section>
      ))}
      {error && <p className="error">{error.message}</p>}
      <form onSubmit={say}>
        <input name="prompt" disabled={status !== "ready"} />
        <output>{status}</output>
      </form>
    </>
  );
}

/** A tool of the CLI: its name and input, its result, and the buttons while it waits for an approval. */
function Tool({ part, answer }) {
  const { toolName, input, state, approval, output, errorText } = part;
  return (
    <fieldset data-state={state}>
      <legend>{toolName}</legend>
      <code>{input?.command ?? JSON.stringify(input)}</code>
      {state === "approval-requested" && (
        <p>
          <button type="button" onClick={() => answer(approval.id, true)}>
            Allow
          </button>
          <button type="button" onClick={() => answer(approval.id, false)}>
            Deny
          </button>
        </p>
      )}
      {state === "output-available" && <pre>{String(output)}</pre>}
      {state === "output-error" && <pre>{errorText}</pre>}
      {state === "output-denied" && <p>Denied.</p>}
    </fieldset>
  );
}

createRoot(document.querySelector("main")).render(<Chat />);
