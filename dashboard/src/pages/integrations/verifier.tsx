// The signature verifier. Pasted data never leaves the page.
import { ShieldCheck } from "lucide-react";
import { type FormEvent, useState } from "react";
import { VERIFIERS } from "../../verifier-code.ts";
import { type Problem, type StepResult, type Verdict, verify } from "../../domain/verify.ts";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/code/code.tsx";
import { TextArea, TextField } from "../../ui/forms/field.tsx";
import { Panel } from "../../ui/panel.tsx";
import { PhoneFold } from "../../ui/phone-fold.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { INTEGRATIONS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { serverNow } from "../../api/server-time.ts";

export function VerifierPanel() {
  const texts = useTexts(INTEGRATIONS).verifier;
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const [busy, setBusy] = useState(false);
  const [language, setLanguage] = useState<string>("node");
  const check = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const text = (name: string) => fields.get(name) as string;
    setBusy(true);
    setVerdict(await verify({ headers: text("headers"), body: text("body"), secret: text("secret") }, serverNow()));
    setBusy(false);
  };
  return (
    <Panel id="verify" title={texts.title} about={texts.about}>
      <PhoneFold label={texts.open} open={location.hash === "#verify"}>
        <form onSubmit={(event) => void check(event)} onInput={() => setVerdict(null)} className="grid min-w-0 gap-4">
          <div className="grid min-w-0 items-start gap-4 md:grid-cols-2">
            <TextArea label={texts.headers} hint={texts.headersHint} name="headers" rows={6} {...PLAIN} />
            <TextArea label={texts.body} hint={texts.bodyHint} name="body" rows={6} {...PLAIN} className={`private ${PLAIN.className}`} />
          </div>
          <TextField label={texts.secret} hint={texts.secretHint} name="secret" {...PLAIN} />
          <div>
            <Button type="submit" kind="primary" icon={ShieldCheck} busy={busy}>
              {texts.check}
            </Button>
          </div>
        </form>
        <div role="status" className="grid gap-3 empty:hidden">
          {verdict !== null && <Steps verdict={verdict} />}
        </div>
        <section className="grid min-w-0 gap-3">
          <h3>{texts.code}</h3>
          <Tabs
            label={texts.code}
            chosen={language}
            onChoose={setLanguage}
            tabs={VERIFIERS.map(({ id, label, code }) => ({ id, label, content: <Code key={id} lang={label} text={code.trim()} /> }))}
          />
        </section>
      </PhoneFold>
    </Panel>
  );
}

/** Pasted text is left unchanged and is not offered to password managers. */
const PLAIN = { autoComplete: "off", autoCapitalize: "off", spellCheck: false, className: "font-mono text-code" } as const;

const TONES = { genuine: "text-good", old: "text-attention", refused: "text-bad" } as const;
const VERDICT_MARKS = { genuine: "●", old: "◐", refused: "▲" } as const;
const MARKS = { passed: "✓", failed: "✗", skipped: "·" } as const;
const MARK_TONES = { passed: "text-good", failed: "text-bad", skipped: "text-soft" } as const;

function Steps({ verdict: { verdict, steps, signatures } }: { verdict: Verdict }) {
  const texts = useTexts(INTEGRATIONS).verifier;
  return (
    <>
      <p className={`text-lg font-semibold ${TONES[verdict]}`}>
        <span aria-hidden>{VERDICT_MARKS[verdict]} </span>
        {texts.verdicts[verdict]}
      </p>
      <ol className="grid gap-1.5" aria-label={texts.check}>
        {steps.map((step) => (
          <li key={step.step} data-step={step.step} data-state={step.state} className="grid grid-cols-[1rem_1fr] gap-x-2">
            <span aria-hidden className={`font-semibold ${MARK_TONES[step.state]}`}>
              {MARKS[step.state]}
            </span>
            <span>
              <span className="font-semibold">{texts.steps[step.step]}</span>
              <span className="sr-only"> ({texts.stateOf[step.state]})</span>: <Sentence result={step} />
            </span>
          </li>
        ))}
      </ol>
      {signatures.count > 1 && signatures.matching !== null && <p>{texts.rotating(signatures.matching + 1, signatures.count)}</p>}
    </>
  );
}

function Sentence({ result }: { result: StepResult }) {
  const texts = useTexts(INTEGRATIONS).verifier;
  if (result.state === "passed") return texts.passed[result.step];
  if (result.state === "skipped") return <span className="text-soft">{texts.skipped}</span>;
  // TypeScript cannot infer that each code belongs to the parameter type of its own function (correlated unions), so this uses a cast.
  const sentence = texts.problems[result.problem.code] as (problem: Problem) => string;
  return sentence(result.problem);
}
