// A phone number, grouped for reading, copied as digits, and blurred when numbers are hidden.
import { groupedPhone } from "../domain/phone.ts";

export function PhoneNumber({ digits }: { digits: string }) {
  return (
    <span
      className="private whitespace-nowrap"
      onCopy={(event) => {
        // Copies digits only if nothing else is selected.
        if (getSelection()?.toString().trim() !== groupedPhone(digits)) return;
        event.clipboardData.setData("text/plain", digits);
        event.preventDefault();
      }}
    >
      {groupedPhone(digits)}
    </span>
  );
}
