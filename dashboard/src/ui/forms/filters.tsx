// Filters in the URL, so that a filtered view can be shared and survives a reload.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { UI } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";

export function useFilter(name: string): readonly [string, (value: string) => void] {
  const chooseAll = useFilters();
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const value = search[name];
  const choose = (chosen: string) => chooseAll({ [name]: chosen });
  return [typeof value === "string" || typeof value === "number" ? String(value) : "", choose];
}

export function useFilters(): (chosen: Readonly<Record<string, string>>) => void {
  const navigate = useNavigate();
  return (chosen) => {
    // Digits become a number, because the router would quote a string of digits.
    const shown = (value: string) => (value === "" ? undefined : /^[1-9]\d{0,14}$/.test(value) ? Number(value) : value);
    const given = Object.fromEntries(Object.entries(chosen).map(([name, value]) => [name, shown(value)]));
    void navigate({
      to: ".",
      search: (before: Record<string, unknown>) => ({ ...before, after: undefined, ...given }),
      replace: true,
      resetScroll: false,
    });
  };
}

type ChipsProps = {
  name: string;
  label: string;
  /** The label of the option that disables the filter. */
  every?: string;
  options: readonly { value: string; label: ReactNode; count?: number }[];
  /** Parameters that depend on this one, and are reset when it changes. */
  clears?: readonly string[];
};

const NONE: readonly string[] = [];

/** Names of statuses are in lower case, because most of them stand inside a line. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export function FilterChips({ name, label, every, options, clears = NONE }: ChipsProps) {
  const texts = useTexts(UI);
  const group = useId();
  const [chosen] = useFilter(name);
  const chooseAll = useFilters();
  const choose = (value: string) => chooseAll({ ...Object.fromEntries(clears.map((other) => [other, ""])), [name]: value });
  return (
    <fieldset className="chips">
      <legend className="sr-only">{label}</legend>
      {[{ value: "", label: every ?? texts.all, count: undefined }, ...options].map(({ value, label: text, count }) => (
        <label
          key={value}
          className="inline-flex min-h-11 shrink-0 cursor-pointer items-center gap-1.5 rounded-full border border-line bg-surface px-3 has-checked:border-ink has-checked:bg-tint has-checked:font-semibold has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent hover:bg-tint pointer-fine:min-h-8"
        >
          <input type="radio" name={group} value={value} checked={chosen === value} onChange={() => choose(value)} className="sr-only" />
          {typeof text === "string" ? capital(text) : text}
          {count !== undefined && <span className="text-sm text-soft">{count}</span>}
        </label>
      ))}
    </fieldset>
  );
}

type FilterSelectProps = { name: string; label: string; every: string; options: readonly { value: string; label: string }[] };

/** `every` is the label of the option that disables the filter. */
export function FilterSelect({ name, label, every, options }: FilterSelectProps) {
  const id = useId();
  const [chosen, choose] = useFilter(name);
  return (
    <div className="grid min-w-0 max-w-full gap-0.5 max-sm:grow">
      <label htmlFor={id} className="text-sm text-soft">
        {label}
      </label>
      <select
        id={id}
        value={chosen}
        onChange={({ target }) => choose(target.value)}
        className="min-h-11 max-w-full min-w-0 rounded-md border border-edge bg-surface px-2 pointer-fine:min-h-9 sm:max-w-72"
      >
        <option value="">{every}</option>
        {options.map(({ value, label: text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

const TYPING_MS = 200;

export function FilterSearch({ name, label, wide = false }: { name: string; label: string; wide?: boolean }) {
  const id = useId();
  const [chosen, choose] = useFilter(name);
  const [typed, setTyped] = useState(chosen);
  // The value that this field last put into the URL. If the URL has another value, it replaces the typed text.
  const [asked, setAsked] = useState(chosen);
  const [seen, setSeen] = useState(chosen);
  if (chosen !== seen) {
    setSeen(chosen);
    if (chosen !== asked) {
      setAsked(chosen);
      setTyped(chosen);
    }
  }
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(pause.current), []);
  const search = (text: string, afterMs: number) => {
    clearTimeout(pause.current);
    pause.current = setTimeout(() => {
      setAsked(text.trim());
      choose(text.trim());
    }, afterMs);
  };
  return (
    <div className={`relative min-w-0 grow basis-56 ${wide ? "" : "sm:max-w-80"}`}>
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <Search size={16} aria-hidden className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-soft" />
      <input
        id={id}
        type="search"
        value={typed}
        placeholder={label}
        autoComplete="off"
        onChange={({ target }) => {
          setTyped(target.value);
          search(target.value, TYPING_MS);
        }}
        onKeyDown={({ key }) => {
          if (key === "Enter") search(typed, 0);
        }}
        className="min-h-11 w-full rounded-md border border-edge bg-surface pr-3 pl-9 placeholder:text-soft pointer-fine:min-h-9"
      />
    </div>
  );
}
