// As the terminal of the command shows calls: an invisible character could hide a part of what a person allows.
export { visible, visibleLine } from "../../../hawser/src/base/printable.js";
