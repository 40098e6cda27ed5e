// A voice message, recorded here. The microphone is open only while it is recorded.
import { Mic, Send, Trash2 } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Refused, refusalText } from "../../api/refused.ts";
import { oggOfWebm } from "../../domain/ogg-opus.ts";
import { useNow } from "../../ui/clock.ts";
import { IconButton } from "../../ui/button.tsx";
import { toast } from "../../ui/toast.tsx";
import { useLanguage } from "../../words/language.ts";
import { useWords } from "../../words/words.ts";
import { CHATS } from "../../words/areas.ts";

/** What browsers record, the network's own form first. */
const TYPES = ["audio/ogg;codecs=opus", "audio/webm;codecs=opus", "audio/mp4"] as const;

type Recording = { recorder: MediaRecorder; startedAt: number };

type VoiceProps = { onRecording: (under: boolean) => void; onRecorded: (file: File) => Promise<void> };

export function Voice({ onRecording, onRecorded }: VoiceProps) {
  const words = useWords(CHATS);
  const language = useLanguage();
  const [recording, setRecording] = useState<Recording | null>(null);
  const [busy, setBusy] = useState(false);
  const current = useRef<MediaRecorder | null>(null);
  useEffect(() => () => stop(current.current), []);

  const begin = async () => {
    const type = TYPES.find((each) => typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported(each));
    const stream = type === undefined ? null : await navigator.mediaDevices.getUserMedia({ audio: true }).catch(() => null);
    if (stream === null || type === undefined) {
      toast(words.noMicrophone, { kind: "bad" });
      return;
    }
    const recorder = new MediaRecorder(stream, { mimeType: type });
    current.current = recorder;
    recorder.start();
    setRecording({ recorder, startedAt: Date.now() });
    onRecording(true);
  };
  const finish = async () => {
    if (recording === null) return;
    const { recorder } = recording;
    const bytes = await recorded(recorder);
    setRecording(null);
    onRecording(false);
    setBusy(true);
    try {
      await onRecorded(await voiceFile(bytes, recorder.mimeType));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      toast(refusalText(error, language), { kind: "bad" });
    } finally {
      setBusy(false);
    }
  };
  if (recording === null) return <IconButton label={words.voice} icon={Mic} busy={busy} onClick={() => void begin()} />;
  return (
    <span className="flex items-center gap-1">
      <Elapsed since={recording.startedAt} />
      <IconButton
        label={words.cancelVoice}
        icon={Trash2}
        onClick={() => {
          stop(recording.recorder);
          setRecording(null);
          onRecording(false);
        }}
      />
      <IconButton label={words.stopVoice} icon={Send} kind="primary" onClick={() => void finish()} />
    </span>
  );
}

function Elapsed({ since }: { since: number }) {
  const words = useWords(CHATS);
  const seconds = Math.max(0, Math.floor((useNow(1_000) - since) / 1_000));
  return (
    <span className="text-sm whitespace-nowrap text-bad" role="timer">
      ● {words.recording(seconds)}
    </span>
  );
}

function recorded(recorder: MediaRecorder): Promise<Blob> {
  return new Promise((resolve) => {
    recorder.addEventListener("dataavailable", ({ data }) => resolve(data), { once: true });
    stop(recorder);
  });
}

/** In the form that phones play, where the browser's own can be rewritten; else the gateway converts it. */
async function voiceFile(recording: Blob, type: string): Promise<File> {
  const ogg = type.startsWith("audio/webm") ? oggOfWebm(new Uint8Array(await recording.arrayBuffer())) : null;
  return ogg === null ? new File([recording], "voice", { type }) : new File([ogg], "voice.ogg", { type: "audio/ogg; codecs=opus" });
}

function stop(recorder: MediaRecorder | null): void {
  if (recorder === null || recorder.state === "inactive") return;
  recorder.stop();
  for (const track of recorder.stream.getTracks()) track.stop();
}
