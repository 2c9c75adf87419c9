/** Whether an answer is a plain yes: `y`, `yes` or `yes please`. */
export function isYes(answer: string): boolean {
  return /^y(?:es)?(?:,? please)?[.!]?$/i.test(answer.trim());
}

/** Whether an answer is a plain no: `n`, `no` or `no thanks`. */
export function isNo(answer: string): boolean {
  return /^no?(?:,? (?:thanks|thank you))?[.!]?$/i.test(answer.trim());
}
