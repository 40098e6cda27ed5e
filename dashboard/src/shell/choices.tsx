import { Languages, SunMoon } from "lucide-react";
import { type ReactNode, useId } from "react";
import { Check } from "../ui/forms/tick.tsx";
import { Menu } from "../ui/menu.tsx";
import { toast } from "../ui/toast.tsx";
import { SHELL } from "../texts/catalogs.ts";
import { type Language, useLanguage } from "../texts/language.ts";
import { changeLanguage, useTexts } from "../texts/catalog.ts";
import { LANGUAGES, type Theme, useHidden, useTheme } from "./preferences.ts";

function useChoices() {
  const texts = useTexts(SHELL);
  const [theme, chooseTheme] = useTheme();
  const [hidden, hide] = useHidden();
  const language = useLanguage();
  const themes: readonly { value: Theme; label: string }[] = [
    { value: "auto", label: texts.themeAuto },
    { value: "light", label: texts.themeLight },
    { value: "dark", label: texts.themeDark },
  ];
  const chooseLanguage = (chosen: Language) => {
    changeLanguage(chosen).catch(() => toast(texts.noLanguage, { kind: "bad" }));
  };
  return { texts, theme, chooseTheme, themes, hidden, hide, language, chooseLanguage };
}

export function Choices() {
  const { texts, theme, chooseTheme, themes, hidden, hide, language, chooseLanguage } = useChoices();
  return (
    <div className="grid gap-3">
      <Segments label={texts.theme} options={themes} chosen={theme} onChoose={chooseTheme} />
      <Segments label={texts.language} options={LANGUAGES} chosen={language} onChoose={chooseLanguage} />
      <Check label={texts.hide} hint={texts.hideHint} checked={hidden} onChange={({ target }) => hide(target.checked)} />
    </div>
  );
}

type Option<V extends string> = { value: V; label: string; lang?: string };

function Segments<V extends string>(props: {
  label: string;
  options: readonly Option<V>[];
  chosen: V;
  onChoose: (value: V) => void;
}): ReactNode {
  const { label, options, chosen, onChoose } = props;
  const name = useId();
  return (
    <fieldset className="grid gap-1">
      <legend className="text-sm text-soft">{label}</legend>
      <div className="grid auto-cols-fr grid-flow-col overflow-hidden rounded-md border border-edge">
        {options.map(({ value, label: text, lang }) => (
          <label
            key={value}
            lang={lang}
            className="grid min-h-11 cursor-pointer place-items-center border-l border-line px-2 text-center text-sm first:border-l-0 hover:bg-tint has-checked:bg-ink has-checked:font-semibold has-checked:text-ground has-focus-visible:outline-2 has-focus-visible:-outline-offset-4 has-focus-visible:outline-accent pointer-fine:min-h-8"
          >
            <input type="radio" name={name} value={value} checked={chosen === value} onChange={() => onChoose(value)} className="sr-only" />
            {text}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

export function ChoiceMenus() {
  const { texts, theme, chooseTheme, themes, language, chooseLanguage } = useChoices();
  return (
    <div className="flex gap-1">
      <Menu
        kind="quiet"
        bare
        align="end"
        icon={SunMoon}
        label={null}
        name={texts.theme}
        className="w-11 !px-0 pointer-fine:w-9"
        items={themes.map(({ value, label }) => ({ label, checked: value === theme, onSelect: () => chooseTheme(value) }))}
      />
      <Menu
        kind="quiet"
        bare
        align="end"
        icon={Languages}
        label={null}
        name={texts.language}
        className="w-11 !px-0 pointer-fine:w-9"
        items={LANGUAGES.map(({ value, label }) => ({ label, checked: value === language, onSelect: () => chooseLanguage(value) }))}
      />
    </div>
  );
}
