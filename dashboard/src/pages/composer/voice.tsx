// Records voice messages. The microphone is open only while recording. A recording is kept until it is sent or discarded, also if its chat is
// left while it is recorded.
import { Mic, Send, Trash2 } from "lucide-react";
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { Refused, refusalText } from "../../api/refused.ts";
import { useNow } from "../../ui/clock.ts";
import { IconButton } from "../../ui/button.tsx";
import { toast } from "../../ui/toast.tsx";
import { useLanguage } from "../../texts/language.ts";
import { useTexts } from "../../texts/catalog.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { serverNow } from "../../api/server-time.ts";
import { hold, release } from "./losable.ts";
import { keepRecording, useRecording } from "./recordings.ts";
import { type Target, useSend } from "./send.ts";

/** Recording formats, starting with the network's own. */
const TYPES = ["audio/ogg;codecs=opus", "audio/webm;codecs=opus", "audio/mp4"] as const;

/** `whole` resolves when the recorder stops, even if the microphone is unplugged. */
type Recording = { recorder: MediaRecorder; whole: Promise<Blob>; startedAt: number };

/** `isAside` means that the send button for text is shown instead, unless there is a recording. */
type VoiceProps = { target: Target; isAside: boolean; onRecording: (isRecording: boolean) => void; onSent: () => void };

export function Voice({ target, isAside, onRecording, onSent }: VoiceProps) {
  const texts = useTexts(CHATS);
  const language = useLanguage();
  const [recording, setRecording] = useState<Recording | null>(null);
  const key = `${target.id} ${target.chatId}`;
  const kept = useRecording(key);
  const [waits, setWaits] = useState(false);
  const busy = kept?.busy ?? waits;
  const { quotedId } = kept?.isTried === true ? kept : target;
  const { sendFile } = useSend({ ...target, quotedId });
  const isMounted = useRef(false);
  const main = useRef<HTMLButtonElement>(null);
  const keepHalf = useEffectEvent(() => {
    // Once finished, it is being sent.
    if (recording === null || waits) return;
    stop(recording.recorder);
    void fileOf(recording).then((file) => file.size > 0 && keepRecording(key, { file, quotedId: null, busy: false, isTried: false }));
  });
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
      keepHalf();
    };
  }, []);
  useEffect(() => {
    if (recording === null) return undefined;
    hold(recording);
    return () => release(recording);
  }, [recording]);
  // Moves the focus if the focused button was replaced.
  const phase = recording !== null ? "recording" : kept !== null ? "kept" : "idle";
  const before = useRef(phase);
  useEffect(() => {
    if (before.current !== phase && document.activeElement === document.body) main.current?.focus();
    before.current = phase;
  }, [phase]);

  const begin = async () => {
    const type = TYPES.find((each) => typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported(each));
    setWaits(true);
    const stream = type === undefined ? null : await navigator.mediaDevices.getUserMedia({ audio: true }).catch(() => null);
    setWaits(false);
    if (stream === null || type === undefined) {
      toast(texts.noMicrophone, { kind: "bad" });
      return;
    }
    const recorder = new MediaRecorder(stream, { mimeType: type });
    // The user may have left the page before answering the permission prompt.
    if (!isMounted.current) {
      close(recorder);
      return;
    }
    const whole = recordedBy(recorder);
    recorder.start();
    setRecording({ recorder, whole, startedAt: serverNow() });
    onRecording(true);
  };
  const deliver = async (file: File) => {
    keepRecording(key, { file, quotedId, busy: true, isTried: true });
    try {
      await sendFile(file, (media) => ({ kind: "voice", media }));
      keepRecording(key, null);
    } catch (error) {
      keepRecording(key, { file, quotedId, busy: false, isTried: true });
      if (!(error instanceof Refused)) throw error;
      toast(`${texts.voiceKept} ${refusalText(error, language)}`, { kind: "bad" });
    }
  };
  const finish = async (finished: Recording) => {
    setWaits(true);
    // The next text is not part of the reply.
    onSent();
    stop(finished.recorder);
    const file = await fileOf(finished);
    setRecording(null);
    setWaits(false);
    onRecording(false);
    await deliver(file);
  };

  if (recording !== null) {
    const discard = () => {
      stop(recording.recorder);
      setRecording(null);
      onRecording(false);
    };
    return (
      <Sound
        className="[[hidden]+&]:grow"
        about={<Elapsed since={recording.startedAt} />}
        onDiscard={busy ? null : discard}
        main={
          <IconButton ref={main} label={texts.stopVoice} icon={Send} kind="primary" busy={busy} onClick={() => void finish(recording)} />
        }
      />
    );
  }
  if (kept !== null) {
    const sendKept = ({ file, isTried }: typeof kept) => {
      if (!isTried) onSent();
      void deliver(file);
    };
    return (
      // In a row of its own, because the field may contain the next text.
      <Sound
        className="order-first basis-full"
        about={busy ? null : <span className={`text-sm ${kept.isTried ? "text-bad" : "text-soft"}`}>{texts.voiceKept}</span>}
        onDiscard={busy ? null : () => keepRecording(key, null)}
        main={<IconButton ref={main} label={texts.sendVoice} icon={Send} kind="primary" busy={busy} onClick={() => sendKept(kept)} />}
      />
    );
  }
  if (isAside) return null;
  return <IconButton ref={main} label={texts.voice} icon={Mic} busy={busy} onClick={() => void begin()} />;
}

type SoundProps = { className: string; about: ReactNode; onDiscard: (() => void) | null; main: ReactNode };

function Sound({ className, about, onDiscard, main }: SoundProps) {
  const texts = useTexts(CHATS);
  return (
    <span className={`flex min-w-0 items-center justify-end gap-1 ${className}`}>
      {about}
      {onDiscard !== null && <IconButton label={texts.cancelVoice} icon={Trash2} onClick={onDiscard} />}
      {main}
    </span>
  );
}

function Elapsed({ since }: { since: number }) {
  const texts = useTexts(CHATS);
  const seconds = Math.max(0, Math.floor((useNow(1_000) - since) / 1_000));
  return (
    <span className="text-sm whitespace-nowrap text-bad" role="timer">
      ● {texts.recording(seconds)}
    </span>
  );
}

function recordedBy(recorder: MediaRecorder): Promise<Blob> {
  const parts: Blob[] = [];
  recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
  return new Promise((resolve) => {
    recorder.addEventListener("stop", () => resolve(new Blob(parts, { type: recorder.mimeType })), { once: true });
  });
}

/** The recorder must have been stopped. */
async function fileOf({ recorder, whole }: Recording): Promise<File> {
  return voiceFile(await whole, recorder.mimeType);
}

/** Returns an Ogg file if the script for that loads and can convert the recording. Otherwise, the gateway converts it. */
async function voiceFile(recording: Blob, type: string): Promise<File> {
  const ogg = type.startsWith("audio/webm") ? await oggOf(recording).catch(() => null) : null;
  // The file has no name, so that lists show it as a voice message.
  return ogg === null ? new File([recording], "", { type }) : new File([ogg], "", { type: "audio/ogg; codecs=opus" });
}

async function oggOf(recording: Blob) {
  const { oggOfWebm } = await import("../../domain/ogg-opus.ts");
  return oggOfWebm(new Uint8Array(await recording.arrayBuffer()));
}

function stop(recorder: MediaRecorder): void {
  if (recorder.state !== "inactive") recorder.stop();
  close(recorder);
}

function close({ stream }: MediaRecorder): void {
  for (const track of stream.getTracks()) track.stop();
}
