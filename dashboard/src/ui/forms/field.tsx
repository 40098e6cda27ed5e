// Native form controls with label, hint and error. Validation errors from the server appear beside their field.
import { Eye, EyeOff } from "lucide-react";
import {
  type FormEvent,
  type FormHTMLAttributes,
  type InputHTMLAttributes,
  type ReactElement,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  cloneElement,
  startTransition,
  use,
  useActionState,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";
import { hasAtMostCharacters } from "@gateway/domain/messages/characters.ts";
import { Refused } from "../../api/refused.ts";
import { UI } from "../../texts/catalogs.ts";
import { type TextsOf, useTexts } from "../../texts/catalog.ts";
import { type IssueMap, Issues, NO_ISSUES } from "./form-error.tsx";

type FieldTexts = TextsOf<typeof UI>["field"];

const CONTROL =
  "w-full rounded-md border border-edge bg-surface px-3 text-ink placeholder:text-soft [&[readonly]]:bg-tint aria-invalid:border-bad aria-invalid:outline-bad";
export const ONE_LINE = `${CONTROL} min-h-11 pointer-fine:min-h-9`;

export type FormState = {
  submit: (form: HTMLFormElement) => void;
  busy: boolean;
  /** The error of the last submit, or null if it succeeded. */
  refused: Refused | null;
  /** Errors of fields without a control in this form. */
  elsewhere: IssueMap;
};

type Tried = Pick<FormState, "refused" | "elsewhere">;
const UNTRIED: Tried = { refused: null, elsewhere: NO_ISSUES };

/** Shows a `Refused` that `act` throws. `idempotencyKey` changes only when the fields change. */
export function useForm(act: (fields: FormData, idempotencyKey: string) => Promise<void>): FormState {
  const running = useRef(false);
  const last = useRef({ fields: "", idempotencyKey: "" });
  const [tried, run, busy] = useActionState(async (_before: Tried, form: HTMLFormElement): Promise<Tried> => {
    const fields = new FormData(form);
    const names = new Set([...form.elements].map((control) => control.getAttribute("name")));
    const written = JSON.stringify(
      [...fields].map(([name, value]) => [name, typeof value === "string" ? value : [value.name, value.size, value.lastModified]]),
    );
    if (last.current.fields !== written) last.current = { fields: written, idempotencyKey: crypto.randomUUID() };
    try {
      await act(fields, last.current.idempotencyKey);
      last.current = { fields: "", idempotencyKey: "" };
      return UNTRIED;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { refused: error, elsewhere: new Map([...error.issues].filter(([field]) => !names.has(field))) };
    } finally {
      running.current = false;
    }
  }, UNTRIED);
  const submit = (form: HTMLFormElement) => {
    // Ignores a second Enter while the form is submitting.
    if (running.current) return;
    running.current = true;
    startTransition(() => run(form));
  };
  return { submit, busy, ...tried };
}

export function textOf(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === "string" ? value : "";
}

type FormProps = Omit<FormHTMLAttributes<HTMLFormElement>, "onSubmit"> & {
  form: FormState;
  /** False for confirmations and passwords, which are not worth keeping, and which browsers also fill in by themselves. */
  keepsTyped?: boolean;
};

/** After an error, keeps the typed values and focuses the first invalid control. `data-typed` marks text that was not submitted. */
export function Form({ form, keepsTyped = true, children, ...rest }: FormProps) {
  const texts = useTexts(UI).field;
  const element = useRef<HTMLFormElement>(null);
  const { refused, elsewhere } = form;
  const mark = keepsTyped ? "unsaved" : "";
  const [shown, setShown] = useState<{ refused: Refused | null; issues: IssueMap }>({ refused, issues: NO_ISSUES });
  if (shown.refused !== refused) setShown({ refused, issues: refused?.issues ?? NO_ISSUES });
  const { issues } = shown;
  const known = useMemo(() => ({ issues, elsewhere }), [issues, elsewhere]);
  const setIssues = (change: (known: IssueMap) => IssueMap) => setShown((now) => ({ ...now, issues: change(now.issues) }));
  useEffect(() => {
    const named = refused?.issues ?? NO_ISSUES;
    const first = [...(element.current?.elements ?? [])].find((control) => named.has(control.getAttribute("name") ?? ""));
    if (first instanceof HTMLElement) first.focus();
    if (refused !== null && element.current !== null) element.current.dataset["typed"] = mark;
  }, [refused, mark]);
  const wrong = (event: FormEvent<HTMLFormElement>) => {
    // Replaces the browser's own message, which is in the browser's language.
    event.preventDefault();
    const control = event.target as HTMLInputElement;
    setIssues((known) => new Map(known).set(control.name, validityText(control, texts)));
    const first = element.current?.querySelector<HTMLElement>("input:invalid, select:invalid, textarea:invalid");
    if (first === control) control.focus();
  };
  const typed = (event: FormEvent<HTMLFormElement>) => {
    const { name } = event.target as HTMLInputElement;
    event.currentTarget.dataset["typed"] = mark;
    setIssues((known) => (known.has(name) ? new Map([...known].filter(([other]) => other !== name)) : known));
  };
  return (
    <Issues value={known}>
      <form
        {...rest}
        ref={element}
        aria-busy={form.busy || undefined}
        onInvalidCapture={wrong}
        // Not handled in the capture phase, because a render between the phases would reset a controlled input.
        onInput={typed}
        onSubmit={(event) => {
          event.preventDefault();
          setIssues(() => NO_ISSUES);
          delete event.currentTarget.dataset["typed"];
          form.submit(event.currentTarget);
        }}
      >
        {children}
      </form>
    </Issues>
  );
}

function validityText(control: HTMLInputElement, texts: FieldTexts): string {
  const { validity } = control;
  if (validity.valueMissing) return texts.required;
  if (validity.customError) return control.validationMessage;
  if (validity.typeMismatch || (validity.patternMismatch && control.type === "email"))
    return control.type === "url" ? texts.url : texts.email;
  if (validity.tooShort) return texts.tooShort(control.minLength);
  if (validity.tooLong) return texts.tooLong(control.maxLength);
  if (validity.patternMismatch) return control.title === "" ? texts.pattern : control.title;
  // Dates also have limits, but the browser's date picker shows them in the user's own format.
  const [least, most] = control.type === "number" ? [control.min, control.max] : ["", ""];
  return validity.rangeOverflow || validity.rangeUnderflow || validity.stepMismatch ? texts.range(least, most) : texts.invalid;
}

type About = { label: ReactNode; name: string; hint?: ReactNode; error?: ReactNode };
type Described = { id?: string; name?: string; "aria-describedby"?: string | undefined; "aria-invalid"?: boolean | undefined };

/** `after` is shown beside the label, and `before` beside the control. */
type FieldProps = About & { after?: ReactNode; before?: ReactNode; children: ReactElement<Described> };

export function Field({ label, name, hint, error, after, before, children }: FieldProps) {
  const id = useId();
  const { issues } = use(Issues);
  const wrong = error ?? issues.get(name);
  const described = [hint === undefined ? "" : `${id}h`, wrong === undefined ? "" : `${id}e`].filter((part) => part !== "").join(" ");
  const control = cloneElement(children, {
    id: children.props.id ?? id,
    name,
    "aria-describedby": described === "" ? undefined : described,
    "aria-invalid": wrong === undefined ? undefined : true,
  });
  return (
    <div className="grid gap-1">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <label htmlFor={children.props.id ?? id} className="font-semibold">
          {label}
        </label>
        {after}
      </div>
      {before === undefined ? (
        control
      ) : (
        <div className="flex min-w-0 gap-2">
          {before}
          {control}
        </div>
      )}
      {wrong !== undefined && (
        <p id={`${id}e`} className="text-sm font-semibold text-bad first-letter:uppercase">
          {wrong}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}h`} className="text-sm text-soft">
          {hint}
        </p>
      )}
    </div>
  );
}

/** `characters` is the limit, in code points rather than UTF-16 units. */
type TextFieldProps = About & InputHTMLAttributes<HTMLInputElement> & { characters?: number };

export function TextField({ label, name, hint, error, characters, onInput, className = "", type = "text", ...rest }: TextFieldProps) {
  const texts = useTexts(UI);
  const count = useCount(characters, texts.field);
  const [shown, setShown] = useState(false);
  const password = type === "password";
  const input = (
    <input
      // Browsers accept an address whose domain has no dot, and the API does not.
      pattern={type === "email" ? ".+@.+[.].+" : undefined}
      {...rest}
      type={password && shown ? "text" : type}
      onInput={(event) => {
        count.read(event.currentTarget);
        onInput?.(event);
      }}
      className={`${ONE_LINE} ${className}`}
    />
  );
  const control = (
    <Field label={label} name={name} hint={hint} error={error} after={count.text}>
      {input}
    </Field>
  );
  if (!password) return control;
  const Icon = shown ? EyeOff : Eye;
  return (
    <div className="grid gap-1">
      {control}
      <button
        type="button"
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
        className="flex min-h-11 items-center gap-1.5 justify-self-start text-sm underline-offset-2 hover:underline pointer-fine:min-h-6"
      >
        <Icon size={14} aria-hidden />
        {shown ? texts.hidePassword : texts.showPassword}
      </button>
    </div>
  );
}

type TextAreaProps = About & TextareaHTMLAttributes<HTMLTextAreaElement> & { characters?: number };

export function TextArea({ label, name, hint, error, characters, onInput, className = "", rows = 3, ...rest }: TextAreaProps) {
  const count = useCount(characters, useTexts(UI).field);
  return (
    <Field label={label} name={name} hint={hint} error={error} after={count.text}>
      <textarea
        {...rest}
        rows={rows}
        onInput={(event) => {
          count.read(event.currentTarget);
          onInput?.(event);
        }}
        className={`${CONTROL} py-2 ${className}`}
      />
    </Field>
  );
}

/** Rejects longer texts before submit. The counter appears at 80 %. */
function useCount(most: number | undefined, texts: FieldTexts) {
  const [used, setUsed] = useState(0);
  return {
    read(control: HTMLInputElement | HTMLTextAreaElement) {
      if (most === undefined) return;
      const text = control.value.trim();
      control.setCustomValidity(hasAtMostCharacters(text, most) ? "" : texts.tooLong(most));
      setUsed([...text].length);
    },
    text:
      most === undefined || used < most * 0.8 ? undefined : (
        <span className={`text-sm ${used > most ? "font-semibold text-bad" : "text-soft"}`}>{texts.count(used, most)}</span>
      ),
  };
}

type SelectProps = About & SelectHTMLAttributes<HTMLSelectElement> & { options: readonly { value: string; label: string }[] };

export function Select({ label, name, hint, error, options, className = "", ...rest }: SelectProps) {
  return (
    <Field label={label} name={name} hint={hint} error={error}>
      <select {...rest} className={`${ONE_LINE} ${className}`}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Field>
  );
}
