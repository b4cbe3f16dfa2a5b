/** Everything an SDK client needs to talk to an emulator and to nothing else. */
export const emulated = (endpoint: string) => ({
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
