// Mobile numbers of three countries with and without a digit that was added later (9 in Brazil and Argentina, 1 in Mexico).

const SPELLINGS: readonly (readonly [from: RegExp, to: string])[] = [
  // Eight-digit numbers that begin with 2 to 5 are landlines, so only mobile numbers match.
  [/^55(\d{2})9([6-9]\d{7})$/, "55$1$2"],
  [/^55(\d{2})([6-9]\d{7})$/, "55$19$2"],
  [/^521([2-9]\d{9})$/, "52$1"],
  [/^52([2-9]\d{9})$/, "521$1"],
  [/^549([1-8]\d{9})$/, "54$1"],
  [/^54([1-8]\d{9})$/, "549$1"],
];

export function otherSpelling(phone: string): string | null {
  const found = SPELLINGS.find(([from]) => from.test(phone));
  return found === undefined ? null : phone.replace(...found);
}
