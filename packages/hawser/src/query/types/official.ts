import type { UUID } from "node:crypto";

/**
 * A type of the wire as the official SDK declares it: fields can be written, and a field whose words
 * are known has only these (`Open<"a" | "b">` becomes `"a" | "b"`). `Own` holds the fields that the
 * official SDK declares in another way, and those that the wire does not have.
 *
 * `Keys` is a parameter because an editor then shows the name of the alias (`SDKStatusMessage`), and
 * not `Official<SystemStatus>`: observed with TypeScript 6.0.
 */
export type Official<
  Wire,
  Own = unknown,
  All = Own & Pick<Wire, Exclude<NamedKey<Wire>, keyof Own>>,
  Keys extends keyof All = keyof All,
> = {
  // `Required` takes the `undefined` of an optional field away; the field itself stays optional.
  -readonly [Key in Keys]: Key extends keyof Own
    ? Required<Own>[Key]
    : Key extends "uuid"
      ? UUID
      : Value<Required<All>[Key]>;
};

/** The fields that have a name; an index signature has none. */
type NamedKey<T> = keyof { [Key in keyof T as string extends Key ? never : Key]: never };

type Value<T, Known = Word<T>> = T extends string
  ? string extends T
    ? [Known] extends [never]
      ? T
      : never
    : T
  : T extends readonly (infer Item)[]
    ? T extends unknown[]
      ? T
      : Value<Item>[]
    : T extends object
      ? Fields<T>
      : T;

/** The words of a field; none if it may hold any text. */
type Word<T> = T extends string ? (string extends T ? never : T) : never;

/** A type that can be written already is the official one, and keeps its name in editors. */
type Fields<T> = string extends keyof T
  ? Record<string, T[keyof T]>
  : IsWritable<T> extends true
    ? T
    : { -readonly [Key in keyof T]: Value<Required<T>[Key]> };

type IsWritable<T> =
  (<X>() => X extends T ? 1 : 2) extends <X>() => X extends { -readonly [Key in keyof T]: T[Key] }
    ? 1
    : 2
    ? true
    : false;
