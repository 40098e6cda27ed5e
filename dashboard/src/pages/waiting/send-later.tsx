// The clock beside "send": schedules the text for a chosen time.
import { useQueryClient } from "@tanstack/react-query";
import { CalendarClock, Clock3, PlugZap, Sunrise, Sunset } from "lucide-react";
import { useRef, useState } from "react";
import { api } from "../../api/client.ts";
import { refresh } from "../../api/cache.ts";
import { Refused } from "../../api/refused.ts";
import { serverNow } from "../../api/server-time.ts";
import { type Mentioned, withNumbers } from "../../domain/messages/mentions.ts";
import { leftToSend } from "../../domain/sends.ts";
import { nextHour, timeIn, usualTimes } from "../../domain/send-times.ts";
import { FormDialog } from "../../ui/forms/form-dialog.tsx";
import { textOf, useForm } from "../../ui/forms/field.tsx";
import { Menu } from "../../ui/menu.tsx";
import { announce } from "../../ui/toast.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { useLanguage } from "../../texts/language.ts";
import { WAITING } from "./waiting-reads.ts";
import { shownTime, timeLabel } from "./shown-time.ts";
import { TimeField } from "./waiting-time.tsx";

type LaterProps = {
  id: string;
  chatId: string;
  text: string;
  mentioned: Mentioned | undefined;
  quotedId: string | null;
  offline: boolean;
  /** Called with a function that removes the accepted text from the typed text. */
  onAccepted: (change: (now: string) => string) => void;
  onRefused: (refused: Refused | null) => void;
};

export function SendLater({ id, chatId, text, mentioned, quotedId, offline, onAccepted, onRefused }: LaterProps) {
  const texts = useTexts(CHATS).later;
  const language = useLanguage();
  const client = useQueryClient();
  const [picking, setPicking] = useState(false);
  const busy = useRef(false);
  // Reuses the idempotency key if the same message is sent again after a missing response.
  const last = useRef({ request: "", idempotencyKey: "" });
  const accept = async (at: number | null) => {
    const sent = withNumbers(text.trim(), mentioned ?? {});
    const request = {
      id,
      kind: "text" as const,
      chat_id: chatId,
      text: sent.text,
      ...(sent.mentions.length > 0 && { mentions: sent.mentions }),
      ...(quotedId === null ? {} : { quoted_message_id: quotedId }),
      delivery: { at: at === null ? null : new Date(at).toISOString() },
    };
    const written = JSON.stringify(request);
    if (last.current.request !== written) last.current = { request: written, idempotencyKey: crypto.randomUUID() };
    await api("POST /connections/{id}/messages", request, { idempotencyKey: last.current.idempotencyKey });
    last.current = { request: "", idempotencyKey: "" };
    announce(at === null ? texts.acceptedOnline : texts.accepted(shownTime(at, language)));
    onAccepted((now) => leftToSend(now, text));
    await refresh(client, [WAITING]);
  };
  const choose = async (at: number | null) => {
    if (busy.current) return;
    busy.current = true;
    onRefused(null);
    try {
      await accept(at);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      onRefused(error);
    } finally {
      busy.current = false;
    }
  };
  const { today, tomorrow } = usualTimes(serverNow());
  return (
    <>
      <Menu
        label={<Clock3 size={18} aria-hidden />}
        name={texts.open}
        kind="quiet"
        align="end"
        bare
        className="w-11 shrink-0 !px-0 pointer-fine:w-9"
        items={[
          ...(offline ? [{ label: texts.online, icon: PlugZap, onSelect: () => void choose(null) }] : []),
          ...(today === null ? [] : [{ label: timeLabel(today, language), icon: Sunset, onSelect: () => void choose(today) }]),
          { label: timeLabel(tomorrow, language), icon: Sunrise, onSelect: () => void choose(tomorrow) },
          { label: texts.pick, icon: CalendarClock, onSelect: () => setPicking(true) },
        ]}
      />
      {picking && <Pick onClose={() => setPicking(false)} onPicked={accept} />}
    </>
  );
}

function Pick({ onClose, onPicked }: { onClose: () => void; onPicked: (at: number) => Promise<void> }) {
  const texts = useTexts(CHATS).later;
  const [now] = useState(serverNow);
  const form = useForm(async (fields) => {
    const at = timeIn(textOf(fields, "at"));
    if (at === null) return;
    await onPicked(at);
    onClose();
  });
  return (
    <FormDialog title={texts.pickTitle} form={form} submit={texts.submit} onClose={onClose}>
      <TimeField at={nextHour(now)} from={now} />
    </FormDialog>
  );
}
