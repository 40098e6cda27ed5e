import { groupedPhone } from "../../src/domain/phone.ts";
import { useQuery } from "@tanstack/react-query";
import { Phone as Receiver, PhoneOff } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { CallDocument } from "test-network/phone/views.ts";
import { useNow } from "../../src/ui/clock.ts";
import { change, people, reading } from "../network/control.ts";
import { duration, useNames } from "../network/names.ts";
import { useAct } from "../network/act.ts";
import { Avatar } from "../widgets/pieces.tsx";
import { usePhoneTexts } from "../texts/texts.ts";

/** Calls that ring longer were never ended, and only stay in the list. */
const RINGS_SECONDS = 90;

export function useCallNow(phone: string): CallDocument | null {
  const { data: calls = [] } = useQuery(reading(phone, "/calls"));
  const now = useNow() / 1000;
  const current = calls.filter(
    ({ status, started_at }) => status === "accepted" || (status === "ringing" && now - started_at < RINGS_SECONDS),
  );
  return current.at(-1) ?? null;
}

export function CallScreen({ phone, call }: { phone: string; call: CallDocument }) {
  const w = usePhoneTexts();
  const act = useAct();
  const nameOf = useNames(phone);
  const { data: everybody = [] } = useQuery(people());
  const name = nameOf(call.peer);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    heading.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  const end = (how: "accept" | "reject" | "end"): void => void act(() => change(phone, "POST", `/calls/${call.call_id}/${how}`));
  const isRinging = call.status === "ringing" && call.direction === "in";
  const title = call.status === "accepted" ? w.calls.talking(name) : isRinging ? w.calls.incoming(name) : w.calls.calling(name);
  return (
    <div
      role="alertdialog"
      aria-label={title}
      className="absolute inset-0 z-40 flex flex-col items-center justify-between bg-ground px-6 pt-20 pb-12 text-center"
    >
      <div className="flex flex-col items-center gap-3">
        <Avatar
          phone={phone}
          of={call.peer}
          title={name}
          picture={everybody.find((one) => one.phone === call.peer)?.picture ?? null}
          size="size-28 text-2xl"
        />
        <h2 ref={heading} tabIndex={-1} className="outline-none">
          {title}
        </h2>
        <p className="text-soft">{groupedPhone(call.peer)}</p>
        <p className="text-lg" aria-live="off">
          {call.status === "accepted" ? <Timer key={call.call_id} /> : w.calls.ringing}
          {" · "}
          {call.video ? w.calls.video : w.calls.voice}
        </p>
        <p className="text-sm text-soft">{w.calls.noSound}</p>
      </div>
      <div className="flex w-full justify-evenly">
        {isRinging ? (
          <>
            <CallButton icon={PhoneOff} label={w.calls.decline} look="bg-bad" onClick={() => end("reject")} />
            <CallButton icon={Receiver} label={w.calls.accept} look="bg-good" onClick={() => end("accept")} />
          </>
        ) : (
          <CallButton icon={PhoneOff} label={w.calls.hangUp} look="bg-bad" onClick={() => end("end")} />
        )}
      </div>
    </div>
  );
}

function CallButton({ icon: Icon, label, look, onClick }: { icon: typeof PhoneOff; label: string; look: string; onClick: () => void }) {
  return (
    <button type="button" onClick={onClick} className="flex flex-col items-center gap-2 font-semibold">
      <span className={`inline-flex size-16 items-center justify-center rounded-full text-surface ${look}`}>
        <Icon aria-hidden="true" className="size-7" />
      </span>
      {label}
    </button>
  );
}

function Timer() {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  return <span className="tabular-nums">{duration(seconds)}</span>;
}
