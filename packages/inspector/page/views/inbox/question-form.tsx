import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { visible, visibleLine } from "../../base/visible.js";
import type { ShownApproval, UserQuestion } from "../../net/approval-shape.js";
import { Key } from "../../parts/small-parts.js";

type Answers = Readonly<Record<string, string | readonly string[]>>;

/** The questions that the model asks a person, each with its options and with room for any other answer. */
export function QuestionForm({
  approval,
  isBusy,
  onAnswer,
  onDeny,
}: {
  readonly approval: ShownApproval;
  readonly isBusy: boolean;
  readonly onAnswer: (answers: Answers) => void;
  readonly onDeny: () => void;
}): JSX.Element {
  const { questions = [] } = approval;
  const [answers, setAnswers] = useState<Answers>({});
  const isComplete = questions.every(({ question }) => (answers[question]?.length ?? 0) > 0);
  return (
    <form
      class="card-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isComplete && !isBusy) onAnswer(answers);
      }}
    >
      {questions.map((question, index) => (
        <OneQuestion
          key={question.question}
          name={`${approval.id}-${index}`}
          question={question}
          answer={answers[question.question]}
          onChange={(answer) => setAnswers({ ...answers, [question.question]: answer })}
        />
      ))}
      <div class="actions">
        <button type="submit" class="primary" disabled={isBusy || !isComplete}>
          Answer <Key name="↵" />
        </button>
        <button type="button" onClick={onDeny} disabled={isBusy}>
          Do not answer <Key name="d" />
        </button>
      </div>
    </form>
  );
}

function OneQuestion({
  name,
  question: { question, header, options, multiSelect },
  answer,
  onChange,
}: {
  readonly name: string;
  readonly question: UserQuestion;
  readonly answer: string | readonly string[] | undefined;
  readonly onChange: (answer: string | readonly string[]) => void;
}): JSX.Element {
  const labels = options.map(({ label }) => label);
  const chosen = answer === undefined ? [] : typeof answer === "string" ? [answer] : answer;
  const own = chosen.find((each) => !labels.includes(each)) ?? "";
  const choose = (label: string, isChosen: boolean) => {
    if (!multiSelect) return onChange(label);
    const rest = chosen.filter((each) => each !== label);
    onChange(isChosen ? [...rest, label] : rest);
  };
  const write = (text: string) => {
    const rest = chosen.filter((each) => labels.includes(each));
    onChange(multiSelect ? [...rest, ...(text === "" ? [] : [text])] : text);
  };
  return (
    <fieldset>
      <legend>
        {header !== undefined && <span class="badge badge-plain">{header}</span>}{" "}
        {visible(question)}
      </legend>
      {options.map(({ label, description }) => (
        <label class="choice" key={label}>
          <input
            type={multiSelect ? "checkbox" : "radio"}
            name={name}
            checked={chosen.includes(label)}
            onChange={(event) => choose(label, event.currentTarget.checked)}
          />
          <span>
            <strong>{visibleLine(label)}</strong>
            {description !== undefined && <span class="dim"> {visible(description)}</span>}
          </span>
        </label>
      ))}
      <label class="own-answer">
        <span class="label">Another answer</span>
        <input type="text" value={own} onInput={(event) => write(event.currentTarget.value)} />
      </label>
    </fieldset>
  );
}
