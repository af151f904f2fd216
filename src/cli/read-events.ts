/** An event as the service streams it. */
export interface StreamedEvent {
  readonly type: string;
  readonly tool_use_id?: string;
  readonly [key: string]: unknown;
}

/** The events of a reply of the service as they come. Comments between them are passed over. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamedEvent, void> {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + text).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const data = frame.split('\n').find((line) => line.startsWith('data: '));
      if (data !== undefined) yield JSON.parse(data.slice('data: '.length)) as StreamedEvent;
    }
  }
}
