import { SendHorizontal, Trash2 } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { change } from "../network/control.ts";
import { base64Of } from "../network/files.ts";
import { duration } from "../network/names.ts";
import { toast } from "../../src/ui/toast.tsx";
import { useAction } from "../network/action.ts";
import { IconButton } from "../../src/ui/button.tsx";
import { usePhoneTexts } from "../texts/texts.ts";

/** Recording formats, with those of real phones first. Every browser supports at least one of them. */
const FORMATS = ["audio/ogg;codecs=opus", "audio/mp4", "audio/webm;codecs=opus"];

export function Recorder({ phone, chatId, onDone }: { phone: string; chatId: string; onDone: () => void }) {
  const w = usePhoneTexts();
  const act = useAction();
  const recording = useRef<MediaRecorder>(null);
  const [seconds, setSeconds] = useState(0);
  const [isSending, setSending] = useState(false);
  const presence = useEffectEvent((doing: "recording" | "paused") => {
    void change(phone, "POST", "/presence", { presence: doing, chat_id: chatId }).catch(() => undefined);
  });
  const failed = useEffectEvent(() => {
    toast(w.thread.noMicrophone, { kind: "bad" });
    onDone();
  });
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setInterval> | undefined;
    const end = (stream: MediaStream): void => stream.getTracks().forEach((track) => track.stop());
    const start = async (): Promise<void> => {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      if (isOver) return end(stream);
      const mimeType = FORMATS.find((format) => MediaRecorder.isTypeSupported(format));
      const made = new MediaRecorder(stream, mimeType === undefined ? {} : { mimeType });
      made.addEventListener("stop", () => end(stream));
      made.start();
      recording.current = made;
      presence("recording");
      timer = setInterval(() => setSeconds((before) => before + 1), 1000);
    };
    start().catch(() => {
      if (!isOver) failed();
    });
    return () => {
      isOver = true;
      clearInterval(timer);
      presence("paused");
      if (recording.current?.state === "recording") recording.current.stop();
    };
  }, []);
  const send = async (): Promise<void> => {
    const made = recording.current;
    if (made === null || isSending) return;
    setSending(true);
    const sound = await new Promise<Blob>((resolve) => {
      made.addEventListener("dataavailable", ({ data }) => resolve(data), { once: true });
      made.stop();
    });
    const media = { base64: await base64Of(sound), mimetype: made.mimeType || sound.type, seconds: Math.max(1, seconds) };
    await act(() => change(phone, "POST", "/send", { chat_id: chatId, type: "voice", media }));
    onDone();
  };
  return (
    <div className="flex items-center gap-2 border-t border-line bg-surface px-2 py-1.5">
      <IconButton icon={Trash2} label={w.thread.dropVoice} onClick={onDone} />
      <p role="timer" className="flex flex-1 items-center gap-2 tabular-nums">
        <span aria-hidden="true" className="size-3 rounded-full bg-bad" />
        {w.thread.recording(duration(seconds))}
      </p>
      <IconButton icon={SendHorizontal} label={w.thread.sendVoice} kind="primary" busy={isSending} onClick={() => void send()} />
    </div>
  );
}
