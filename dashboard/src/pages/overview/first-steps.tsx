import { useQuery } from "@tanstack/react-query";
import { Cable, CircleCheck, CircleDashed, type LucideIcon, MessagesSquare, X } from "lucide-react";
import { reading } from "../../api/client.ts";
import { useFrames } from "../../api/live.ts";
import { type FirstStep, firstSteps, type Goal as ChosenGoal } from "../../domain/overview.ts";
import { useSteps } from "../../shell/preferences.ts";
import { ButtonLink, IconButton } from "../../ui/button.tsx";
import { Panel } from "../../ui/panel.tsx";
import { useTexts } from "../../texts/catalog.ts";
import type { Connection } from "./facts.tsx";
import { OVERVIEW } from "../../texts/catalogs.ts";

const WEEK_HOURS = 168;

const PLACES = {
  connected: "/connections/$id/pair",
  key: "/connections/$id/integrations",
  message: "/connections/$id/chats",
  webhook: "/connections/$id/integrations",
} as const satisfies Record<FirstStep, string>;

type Steps = { goal: ChosenGoal | null; steps: NonNullable<ReturnType<typeof firstSteps>> };

/** Null if there is nothing left to do; undefined until the server has responded, so that nothing below moves. */
export function useFirstSteps({ id: number, role, phone, last_connected_at, lacks }: Connection): Steps | null | undefined {
  const id = String(number);
  const owner = role === "owner";
  const [chosen] = useSteps();
  const isWanted = chosen !== "closed" && (phone !== null || lacks.includes("pairing"));
  const keys = useQuery({ ...reading("GET /connections/{id}/keys", { id }), enabled: isWanted && owner });
  const webhook = useQuery({ ...reading("GET /connections/{id}/webhook", { id }), enabled: isWanted && owner });
  const week = useQuery({ ...reading("GET /connections/{id}/activity", { id, hours: WEEK_HOURS }), enabled: isWanted });
  useFrames(({ type }) => {
    if (!isWanted) return;
    if (type === "event" && week.data?.data.every(({ sent }) => sent === 0) === true) void week.refetch();
    if (type === "changed" && owner && (webhook.data?.data?.last_success_at ?? null) === null) void webhook.refetch();
  });
  if (!isWanted) return null;
  if ([keys, webhook, week].some(({ isLoading, failureCount }) => isLoading && failureCount === 0)) return undefined;
  if (week.data === undefined || (owner && (keys.data === undefined || webhook.data === undefined))) return null;
  const facts = {
    last_connected_at,
    sent: week.data.data.reduce((sum, hour) => sum + hour.sent, 0),
    keys: owner ? keys.data?.data : undefined,
    webhook: owner ? (webhook.data?.data ?? null) : undefined,
  };
  const goal = owner ? chosen : "chat";
  const steps = firstSteps(facts, goal);
  return steps === null ? null : { goal, steps };
}

export function FirstSteps({ connection: { id, lacks }, goal, steps }: Steps & { connection: Connection }) {
  const texts = useTexts(OVERVIEW).first;
  const [, choose] = useSteps();
  const close = <IconButton label={texts.close} icon={X} onClick={() => choose("closed")} />;
  if (goal === null) {
    return (
      <Panel title={texts.ask} actions={close}>
        <div className="grid gap-3 sm:grid-cols-2">
          <Goal icon={MessagesSquare} title={texts.chat} text={texts.chatText} onChoose={() => choose("chat")} />
          <Goal icon={Cable} title={texts.system} text={texts.systemText} onChoose={() => choose("system")} />
        </div>
      </Panel>
    );
  }
  const next = steps.find(({ done }) => !done)?.step;
  return (
    <Panel title={texts.title} about={texts.text} actions={close}>
      <ol className="grid gap-1">
        {steps.map(({ step, done }) => (
          <li key={step} data-step={step} className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1">
            {done ? (
              <CircleCheck size={18} aria-hidden className="text-good" />
            ) : (
              <CircleDashed size={18} aria-hidden className="text-soft" />
            )}
            <span className={`grow ${done ? "text-soft" : "font-semibold"}`}>
              {texts[step]}
              <span className="sr-only"> – {done ? texts.done : texts.open}</span>
            </span>
            {step === next && !(step === "connected" && lacks.includes("pairing")) && (
              <ButtonLink to={PLACES[step]} params={{ id: String(id) }}>
                {texts[`go${step}`]}
              </ButtonLink>
            )}
          </li>
        ))}
      </ol>
    </Panel>
  );
}

type GoalProps = { icon: LucideIcon; title: string; text: string; onChoose: () => void };

function Goal({ icon: Icon, title, text, onChoose }: GoalProps) {
  return (
    <button
      type="button"
      onClick={onChoose}
      className="grid grid-cols-[auto_minmax(0,1fr)] content-center items-center gap-x-3 rounded-md border border-edge bg-surface p-3 text-left hover:bg-tint"
    >
      <Icon size={28} strokeWidth={1.5} aria-hidden className="row-span-2 text-accent" />
      <span className="font-semibold">{title}</span>
      <span className="text-sm text-soft">{text}</span>
    </button>
  );
}
