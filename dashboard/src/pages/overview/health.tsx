// The number's health, and the network's restrictions. The wording never suggests retrying.
import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { type ResponseBody, reading } from "../../api/client.ts";
import { useFrames } from "../../api/live.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Fact } from "../../ui/facts.tsx";
import { Level } from "../../ui/graphics/level.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Query } from "../../ui/states.tsx";
import { When } from "../../ui/when.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { OVERVIEW } from "../../texts/catalogs.ts";

type NumberHealth = ResponseBody<"GET /connections/{id}/health">["data"];

const TONES: Record<NumberHealth["level"], Tone> = { ok: "good", warning: "attention", restricted: "bad", banned: "bad" };

const QUALITY_TONES: Record<NonNullable<NumberHealth["quality_rating"]>, Tone> = { GREEN: "good", YELLOW: "attention", RED: "bad" };

export function Health({ id, kind, isConnected }: { id: string; kind: "session" | "cloud_api"; isConnected: boolean }) {
  const texts = useTexts(OVERVIEW).health;
  const health = useQuery(reading("GET /connections/{id}/health", { id }));
  useFrames(({ type, data }) => {
    const event = type === "event" ? (data as { type?: string }).type : undefined;
    if (type === "status" || event === "message.failed" || event?.startsWith("connection.") === true) void health.refetch();
  });
  return (
    <Panel title={texts.title} about={texts.about}>
      <Query result={health} lines={6}>
        {({ data }) => <Numbers health={data} ofCloud={kind === "cloud_api"} isConnected={isConnected} />}
      </Query>
    </Panel>
  );
}

/** `ofCloud` means that Meta rates the number and that the network's refusal codes do not apply. */
function Numbers({ health, ofCloud, isConnected }: { health: NumberHealth; ofCloud: boolean; isConnected: boolean }) {
  const texts = useTexts(OVERVIEW).health;
  const { score, level, restriction, new_chat_quota: quota, code463_24h: refused, quality_rating: quality } = health;
  const percent = (rate: number | null) => (rate === null ? texts.unknown : texts.percent(rate));
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span>
          {texts.score}: <span className="text-xl font-semibold">{isConnected ? texts.of100(score) : texts.unknown}</span>
        </span>
        {isConnected ? <Badge tone={TONES[level]}>{texts.levels[level]}</Badge> : <span className="text-soft">{texts.notConnected}</span>}
      </p>
      {restriction !== null && (
        <div className="grid gap-1 rounded-md border border-bad px-3 py-2">
          <p className="flex items-start gap-2 font-semibold text-bad">
            <TriangleAlert size={18} aria-hidden className="mt-0.5 shrink-0" />
            {texts.restriction}
          </p>
          <p>{texts.scope}</p>
          <p>
            {restriction.ends_at === null ? (
              texts.noEnd
            ) : (
              <>
                {texts.until} <When time={restriction.ends_at} />.
              </>
            )}
          </p>
        </div>
      )}
      {(restriction !== null || refused.cold > 0) && <p className="max-w-prose font-semibold">{texts.dontInsist}</p>}
      {ofCloud && (
        <p>
          {texts.quality}:{" "}
          {quality === null ? (
            <span className="text-soft">{texts.noQuality}</span>
          ) : (
            <Badge tone={QUALITY_TONES[quality]}>{texts.qualities[quality]}</Badge>
          )}
        </p>
      )}
      {quota !== null && <Quota quota={quota} />}
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-3">
        <Fact name={texts.sent}>{health.sends_24h}</Fact>
        <Fact name={texts.failed}>{health.failed_24h}</Fact>
        <Fact name={texts.delivered}>{percent(health.delivered_rate_24h)}</Fact>
        <Fact name={texts.read}>{percent(health.read_rate_24h)}</Fact>
        {!ofCloud && <Fact name={texts.reconnects}>{health.reconnects_24h}</Fact>}
        <Fact name={texts.checked}>
          <When time={health.checked_at} />
        </Fact>
        {!ofCloud && (
          <Fact name={texts.refused} wide>
            {texts.cold(refused.cold)} · {texts.warm(refused.warm)}
          </Fact>
        )}
      </dl>
    </>
  );
}

function Quota({ quota: { total, used, cycle_ends_at, status } }: { quota: NonNullable<NumberHealth["new_chat_quota"]> }) {
  const texts = useTexts(OVERVIEW).health;
  const text = total === null ? texts.quotaUsed(used ?? 0) : texts.quotaOf(used, total);
  return (
    <div className="grid gap-1">
      <p className="flex flex-wrap justify-between gap-x-4">
        <span>{texts.quota}</span>
        <span className="font-semibold">{text}</span>
      </p>
      {total !== null && <Level used={used ?? 0} total={total} attentionAt={0.8} />}
      {status !== "none" && <p className="font-semibold text-attention">{texts.quotaStatus[status]}</p>}
      {cycle_ends_at !== null && (
        <p className="text-sm text-soft">
          {texts.quotaEnds} <When time={cycle_ends_at} />
        </p>
      )}
    </div>
  );
}
