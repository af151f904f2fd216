// The form of what is said of an operation beside its schemas.
import type { OpenAPIV3_1 } from 'openapi-types';
import type { REPLY_HEADERS, REQUEST_HEADERS } from './openapi-headers.ts';

export type Content = OpenAPIV3_1.MediaTypeObject;

export interface ReplyDocs {
  readonly description?: string;
  readonly headers?: readonly (keyof typeof REPLY_HEADERS)[];
  /** By media type; laid over what the route's schema says. */
  readonly content?: Readonly<Record<string, Content>>;
}

export interface OperationDocs {
  readonly operationId: string;
  readonly description?: string;
  readonly headers?: readonly (keyof typeof REQUEST_HEADERS)[];
  /** Laid over the JSON body that the route's schema says. */
  readonly body?: Content;
  /** By media type: a body that no schema describes, since it is handed on as it comes. */
  readonly rawBody?: Readonly<Record<string, Content>>;
  readonly replies?: Readonly<Record<string, ReplyDocs>>;
}
