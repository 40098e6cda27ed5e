// The only field for phone numbers. The country comes first (Brazil by default), and the parsed number appears below.
import { type ComponentProps, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { groupedPhone, readPhone } from "../../domain/phone.ts";
import type { PhoneRules } from "../../domain/phone-rules.ts";
import { UI } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { locale, useLanguage } from "../../texts/language.ts";
import { Field, ONE_LINE, textOf } from "./field.tsx";

const BRAZIL = "BR";

let loaded: PhoneRules | null = null;

/** Returns null if the rules could not be loaded. Numbers of other countries then need a "+". */
async function loadPhoneRules(): Promise<PhoneRules | null> {
  try {
    const [{ phoneRules }, { default: metadata }] = await Promise.all([
      import("../../domain/phone-rules.ts"),
      import("libphonenumber-js/metadata.min.json"),
    ]);
    loaded ??= phoneRules(metadata);
  } catch {}
  return loaded;
}

/** The rules for all countries. Loaded with the first field, because only these fields need them. */
function usePhoneRules(): PhoneRules | null {
  const [rules, setRules] = useState(loaded);
  useEffect(() => {
    if (loaded === null) void loadPhoneRules().then(setRules);
  }, []);
  return rules;
}

/** The digits of the field's number with its country code, or null if it is not a number. */
export function phoneIn(fields: FormData, name: string): string | null {
  return readPhone(textOf(fields, name), textOf(fields, countryField(name)), loaded);
}

const countryField = (name: string) => `${name}_country`;

type PhoneFieldProps = {
  label: ReactNode;
  name: string;
  error?: ReactNode;
  initial?: string | undefined;
  /** Called on each change, with null while the text is not a number. */
  onNumber?: (digits: string | null) => void;
} & Pick<ComponentProps<"input">, "autoComplete"> & { "data-autofocus"?: boolean };

export function PhoneField({ label, name, error, initial, onNumber, autoComplete = "tel", ...rest }: PhoneFieldProps) {
  const texts = useTexts(UI).phone;
  const rules = usePhoneRules();
  const language = useLanguage();
  const countries = useMemo(() => rules?.countries(locale(language)) ?? [], [rules, language]);
  const control = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(initial === undefined ? "" : groupedPhone(initial));
  const [chosen, setChosen] = useState<string>(BRAZIL);
  const country = rules?.countryOf(typed) ?? chosen;
  const digits = readPhone(typed, country, rules);
  useEffect(() => {
    control.current?.setCustomValidity(typed === "" || digits !== null ? "" : country === BRAZIL ? texts.wrongBrazil : texts.wrong);
  }, [typed, digits, country, texts]);
  const change = (text: string, next: string) => {
    setTyped(text);
    setChosen(next);
    onNumber?.(readPhone(text, rules?.countryOf(text) ?? next, rules));
  };
  return (
    <Field
      label={label}
      name={name}
      error={error}
      hint={
        <span aria-live="polite" className={digits === null ? "" : "private font-semibold text-ink"}>
          {digits === null ? texts.hint : groupedPhone(digits)}
        </span>
      }
      before={
        <select
          name={countryField(name)}
          aria-label={texts.country}
          value={country}
          onChange={({ currentTarget: { value } }) => change(typed.replace(/^\s*(\+|00).*$/, ""), value)}
          className={`${ONE_LINE} !w-32 shrink-0 !px-2`}
        >
          {(countries.length > 0 ? countries : [{ country: BRAZIL, code: "55", name: texts.brazil }]).map((each) => (
            <option key={each.country} value={each.country}>
              {`+${each.code} ${each.name}`}
            </option>
          ))}
        </select>
      }
    >
      <input
        {...rest}
        ref={control}
        type="tel"
        inputMode="tel"
        autoComplete={autoComplete}
        required
        value={typed}
        onChange={({ currentTarget: { value } }) => change(value, country)}
        className={`${ONE_LINE} private`}
      />
    </Field>
  );
}
