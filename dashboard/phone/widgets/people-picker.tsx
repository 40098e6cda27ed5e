import { groupedPhone } from "../../src/domain/phone.ts";
import { useState } from "react";

import { usePhoneTexts } from "../texts/texts.ts";

const SEARCHED_FROM = 8;

export function PeoplePicker({
  legend,
  people,
  nameOf,
}: {
  legend: string;
  people: readonly string[];
  nameOf: (digits: string) => string;
}) {
  const w = usePhoneTexts();
  const [search, setSearch] = useState("");
  const isFound = (digits: string): boolean => `${nameOf(digits)} ${digits}`.toLowerCase().includes(search.toLowerCase());
  return (
    <fieldset>
      <legend className="text-sm font-semibold">{legend}</legend>
      {people.length >= SEARCHED_FROM && (
        <input
          type="search"
          aria-label={w.search}
          placeholder={w.search}
          value={search}
          onChange={({ target }) => setSearch(target.value)}
          className="mt-1 min-h-11 w-full rounded-md border border-edge bg-surface px-3"
        />
      )}
      <ul className="mt-1">
        {people.map((digits) => (
          // Hidden rather than removed, so that it stays ticked.
          <li key={digits} hidden={!isFound(digits)}>
            <label className="flex min-h-11 items-center gap-3 rounded-md px-1 hover:bg-tint">
              <input type="checkbox" name="people" value={digits} className="size-5 accent-accent" />
              <span className="min-w-0 flex-1 truncate">{nameOf(digits)}</span>
              <span className="shrink-0 text-sm text-soft">{groupedPhone(digits)}</span>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
