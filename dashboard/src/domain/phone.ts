/** `5511900000001` → `+55 11 90000-0001`. Brazil and North America have their own grouping, other countries use groups of three. */
export function groupedPhone(digits: string): string {
  if (!/^\d{5,15}$/.test(digits)) return digits;
  const brazil = /^55(\d{2})(\d{4,5})(\d{4})$/.exec(digits);
  if (brazil !== null) return `+55 ${brazil[1]} ${brazil[2]}-${brazil[3]}`;
  const america = /^1(\d{3})(\d{3})(\d{4})$/.exec(digits);
  if (america !== null) return `+1 ${america[1]} ${america[2]}-${america[3]}`;
  const country = countryCode(digits);
  return `+${country} ${grouped(digits.slice(country.length))}`;
}

/** Two-digit country codes. The one-digit codes are 1 and 7; all others have three digits. */
const TWO_DIGITS = /^(?:2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;

function countryCode(digits: string): string {
  if (/^[17]/.test(digits)) return digits.slice(0, 1);
  return digits.slice(0, TWO_DIGITS.test(digits) ? 2 : 3);
}

/** Groups of three from the left. A single last digit joins the group before it. */
function grouped(digits: string): string {
  const groups: string[] = [];
  for (let at = 0; at < digits.length; at += 3) groups.push(digits.slice(at, at + 3));
  const last = groups.at(-1) ?? "";
  if (groups.length > 1 && last.length === 1) groups.splice(-2, 2, (groups.at(-2) ?? "") + last);
  return groups.join(" ");
}
