import {
  type Pipeline,
  type SendRequest,
  type Snapshot,
  TickSource,
  type TransferOptions,
  UpdateOutput,
  UpdateReceiver,
  UpdateSender,
  type UpdateSenderOptions,
} from '../../../src/net/index.ts';

/** A server and a client with nothing between them but what a test does. */
export class Pair {
  readonly output: UpdateOutput;
  readonly tickSource: TickSource;
  readonly sender: UpdateSender;
  readonly receiver: UpdateReceiver;
  nowMs = 0;

  constructor(
    pipeline: Pipeline,
    transfer: TransferOptions = {},
    options: UpdateSenderOptions = {},
  ) {
    this.output = new UpdateOutput(pipeline, transfer);
    this.tickSource = new TickSource(pipeline.shape);
    this.sender = new UpdateSender(this.output, options);
    this.receiver = new UpdateReceiver(pipeline, transfer);
  }

  /** Encodes and commits a tick; returns copies of its packets, or what kept it from having any. */
  send(population: Snapshot, request: SendRequest = {}): Uint8Array[] {
    const { sender } = this;
    this.tickSource.load(population);
    const status = sender.prepare(this.tickSource, this.nowMs, request);
    if (status !== 'prepared') throw new Error(`not prepared: ${status}`);
    const packets = Array.from({ length: sender.packetCount }, (_, at) =>
      sender.packetAt(at).slice(),
    );
    sender.commit(this.nowMs);
    return packets;
  }

  /** Gives packets to the client; returns what the last one came to. */
  take(packets: readonly Uint8Array[]): string {
    let outcome = '';
    for (const packet of packets) outcome = this.receiver.acceptPacket(packet, this.nowMs);
    return outcome;
  }

  /** Carries all messages of the client; returns what the server made of each. */
  answer(): string[] {
    const out = new Uint8Array(16);
    const outcomes: string[] = [];
    for (;;) {
      const length = this.receiver.takeMessage(out);
      if (length === 0) return outcomes;
      outcomes.push(this.sender.acceptMessage(out.subarray(0, length), this.nowMs));
    }
  }

  /** A tick whose update and acknowledgement come at once. */
  step(population: Snapshot, request: SendRequest = {}): string {
    const outcome = this.take(this.send(population, request));
    this.answer();
    return outcome;
  }
}
