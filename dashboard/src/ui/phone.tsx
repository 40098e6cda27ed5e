// A phone number, grouped for reading, copied as digits, and blurred when numbers are hidden.
import { groupedPhone } from "../domain/phone.ts";
import { UI } from "../texts/catalogs.ts";
import { useTexts } from "../texts/catalog.ts";

export function PhoneNumber({ digits }: { digits: string }) {
  return (
    <span
      className="private whitespace-nowrap"
      onCopy={(event) => {
        // Copies the number as plain digits if nothing else is selected.
        if (getSelection()?.toString().trim() !== groupedPhone(digits)) return;
        event.clipboardData.setData("text/plain", digits);
        event.preventDefault();
      }}
    >
      {groupedPhone(digits)}
    </span>
  );
}

/** A connection's phone number. After a logout, shows the last one. */
export function OwnPhone({ digits, last, none }: { digits: string | null; last: string | null; none?: string }) {
  const { wasPhone } = useTexts(UI);
  if (digits !== null) return <PhoneNumber digits={digits} />;
  if (last === null) return <span className="text-soft">{none}</span>;
  return (
    <span className="text-soft">
      {wasPhone} <PhoneNumber digits={last} />
    </span>
  );
}
