import type { LanguageModel } from 'ai';

/** The model interface of AI SDK 7. Types only: one step needs nothing of `ai` itself at run time. */
export type SdkModel = Extract<LanguageModel, { readonly specificationVersion: 'v4' }>;
export type SdkOptions = Parameters<SdkModel['doStream']>[0];
export type SdkMessage = SdkOptions['prompt'][number];
export type SdkStream = Awaited<ReturnType<SdkModel['doStream']>>['stream'];
export type SdkPart = SdkStream extends ReadableStream<infer Part> ? Part : never;
export type SdkMetadata = Extract<SdkPart, { type: 'reasoning-end' }>['providerMetadata'];
