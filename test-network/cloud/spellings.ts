// One number, spelled in two ways: mobile numbers of three countries got a digit that the network may know them without, or with.

const VARIANTS: ReadonlyArray<(digits: string) => string | null> = [
  (number) => swap(number, /^55(\d{2})9(\d{8})$/, "55$1$2"),
  (number) => swap(number, /^55(\d{2})([6-9]\d{7})$/, "55$19$2"),
  (number) => swap(number, /^521(\d{10})$/, "52$1"),
  (number) => swap(number, /^52([2-9]\d{9})$/, "521$1"),
  (number) => swap(number, /^549(\d{10})$/, "54$1"),
  (number) => swap(number, /^54([1-8]\d{9})$/, "549$1"),
];

/** The number as the network spells it: as it has learnt, as it is, or in the country's other way. */
export function spelled(asked: string, learnt: Readonly<Record<string, string>>, isKnown: (digits: string) => boolean): string {
  const known = learnt[asked];
  if (known !== undefined) return known;
  if (isKnown(asked)) return asked;
  return VARIANTS.map((variant) => variant(asked)).find((other) => other !== null && isKnown(other)) ?? asked;
}

function swap(number: string, form: RegExp, to: string): string | null {
  return form.test(number) ? number.replace(form, to) : null;
}
