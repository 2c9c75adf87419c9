import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

/**
 * A button for what cannot be undone: it wants a second press within some seconds. A double click is one press, and
 * so is a key that is held down.
 */
export function ConfirmButton({
  label,
  question,
  onConfirm,
  isDisabled = false,
}: {
  readonly label: string;
  readonly question: string;
  readonly onConfirm: () => void;
  readonly isDisabled?: boolean;
}): JSX.Element {
  /** `asked`: nobody has had the time to read the question. `ready`: the next press confirms. */
  const [step, setStep] = useState<"idle" | "asked" | "ready">("idle");
  useEffect(() => {
    if (step === "idle") return;
    const isAsked = step === "asked";
    const timer = setTimeout(
      () => setStep(isAsked ? "ready" : "idle"),
      isAsked ? READ_MS : READY_MS,
    );
    return () => clearTimeout(timer);
  }, [step]);
  const press = () => {
    if (step === "asked") return;
    setStep(step === "idle" ? "asked" : "idle");
    if (step === "ready") onConfirm();
  };
  return (
    <button
      type="button"
      class="danger"
      disabled={isDisabled}
      // A button that is really disabled would lose the focus.
      aria-disabled={step === "asked"}
      onClick={press}
    >
      {step === "idle" ? label : question}
    </button>
  );
}

const READ_MS = 600;
const READY_MS = 5_000;
