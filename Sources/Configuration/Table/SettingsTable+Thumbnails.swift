internal import Thumbnails

extension SettingsTable {
  /// Settings for thumbnails of uploaded pictures and films.
  static let thumbnails: [SettingDefinition] = [
    .choice(
      "thumbnails.mode", .restart, \.thumbnails.mode,
      help:
        "Thumbnails: made if vipsthumbnail works here (auto), required at the start (on), or none (off)."
    ),
    .choice(
      "thumbnails.sandbox", .restart, \.thumbnails.sandbox,
      help:
        "Walls around decoders: those that stand here (auto), or Landlock and seccomp (required)."
    ),
    .integer(
      "thumbnails.concurrency", .restart, \.thumbnails.concurrency, in: 0...1_024,
      unit: "a number of files", orElse: .described("half the cores, at least 2"),
      help:
        "Files that are decoded at the same time, one fewer of one user. 0 means the default."),
    .integer(
      "thumbnails.queue", .restart, \.thumbnails.queue, in: 1...1_000_000,
      unit: "a number of files",
      help: "Files that may wait, a quarter of them of one user. Beyond, none is made."),
    .integer(
      "thumbnails.max_pixels", .restart, \.thumbnails.maxPixels, in: 1...1_000_000_000,
      unit: "a number of pixels",
      help: "Largest picture or frame that is decoded, width by height."),
    .integer(
      "thumbnails.cpu_ms", .restart, \.thumbnails.cpuMilliseconds, in: 1...60_000,
      unit: "milliseconds",
      help: "Processor time of each program for one file, rounded up to seconds."),
    .integer(
      "thumbnails.memory_bytes", .restart, \.thumbnails.memoryBytes,
      in: 134_217_728...17_179_869_184,
      unit: "bytes",
      help: "Address space of a program that decodes a picture. For a film it is twice that."),
  ]
}
