/// A decoding program, with its arguments and its environment.
///
/// It reads standard input and writes standard output, and needs no file names.
package struct ProgramCommand: Hashable, Sendable {
  package let path: String
  package let arguments: [String]
  package let environment: [String]
  package let memoryBytes: Int
  /// The maximum length of the output.
  package let outputBytes: Int
  package let cpuSeconds: Int
}

/// Commands for making a thumbnail.
extension ProgramCommand {
  /// Fits the picture on standard input into a box: upright, in sRGB, without metadata, never
  /// enlarged.
  package static func thumbnail(
    _ box: ThumbnailBox, _ format: ThumbnailFormat, _ conversion: ColourConversion,
    vipsthumbnail path: String, limits: ThumbnailLimits
  ) -> ProgramCommand {
    ProgramCommand(
      path: path,
      arguments: ["stdin", "--size", "\(box)>"] + conversion.vipsOptions
        + ["--output", format.vipsOptions],
      environment: [
        // Allows only the loaders that are suitable for untrusted files.
        "VIPS_BLOCK_UNTRUSTED=1",
        "VIPS_CONCURRENCY=1",
        // Machine code generated at run time needs memory that is both writable and executable.
        "VIPS_NOVECTOR=1",
        // No temporary files: there is no directory for them.
        "VIPS_DISC_THRESHOLD=\(limits.memoryBytes)",
        "MALLOC_ARENA_MAX=2",
        "LC_ALL=C",
      ],
      memoryBytes: limits.memoryBytes, outputBytes: limits.resultBytes,
      cpuSeconds: limits.cpuSeconds)
  }

  /// Writes one frame of the video on standard input as PNG.
  ///
  /// - Parameter moment: The position in the video: the first frames are often black.
  package static func frame(
    at moment: FilmMoment, of format: MediaFormat, ffmpeg path: String, limits: ThumbnailLimits
  ) -> ProgramCommand {
    ProgramCommand(
      path: path,
      arguments: ["-nostdin", "-hide_banner", "-v", "error"]
        + moment.seeking + Self.input(format, limits) + Self.output,
      environment: ["MALLOC_ARENA_MAX=2", "LC_ALL=C"], memoryBytes: limits.filmMemoryBytes,
      outputBytes: Self.frameBytes, cpuSeconds: moment.cpuSeconds(of: limits.cpuSeconds))
  }

  /// Prints the version, to check whether the program runs.
  package static func version(of path: String, _ option: String) -> ProgramCommand {
    let limits = ThumbnailLimits()
    return ProgramCommand(
      path: path, arguments: [option], environment: ["MALLOC_ARENA_MAX=2", "LC_ALL=C"],
      memoryBytes: limits.filmMemoryBytes, outputBytes: limits.resultBytes,
      cpuSeconds: limits.cpuSeconds)
  }

  /// The maximum length of a frame as PNG, with the sides of the largest box and little compression.
  private static let frameBytes = 24 << 20
  private static let largestSide = 2_000

  private static let decoders = [
    "h264", "hevc", "vp8", "vp9", "libdav1d", "av1", "mpeg4", "msmpeg4", "mpeg1video",
    "mpeg2video", "h263", "mjpeg", "theora", "prores", "dvvideo", "rawvideo", "png",
  ]

  /// The video itself, opened by its descriptor, since a pipe is not seekable.
  ///
  /// ffmpeg chooses neither demuxer nor decoder nor protocol.
  private static func input(_ format: MediaFormat, _ limits: ThumbnailLimits) -> [String] {
    [
      "-protocol_whitelist", "file,pipe", "-format_whitelist", "mov,matroska,ogg,avi",
      "-codec_whitelist", decoders.joined(separator: ","), "-threads", "1",
      "-max_pixels", "\(limits.maxPixels)", "-t", "10",
    ] + (demuxer(format).map { ["-f", $0] } ?? []) + [
      "-an", "-sn", "-dn", "-i", "file:/proc/self/fd/0",
    ]
  }

  private static func demuxer(_ format: MediaFormat) -> String? {
    switch format {
    case .mov: "mov"
    case .matroska: "matroska"
    case .ogg: "ogg"
    case .avi: "avi"
    case .jpeg, .png, .gif, .webP, .tiff, .heif: nil
    }
  }

  /// Square pixels, with no side longer than that of the largest box.
  private static var output: [String] {
    let square = "scale=w='max(1,trunc(iw*min(1,sar)))':h='max(1,trunc(ih/max(1,sar)))'"
    let bounded =
      "scale=w='min(\(largestSide),iw)':h='min(\(largestSide),ih)'"
      + ":force_original_aspect_ratio=decrease"
    return [
      "-map", "0:v:0", "-frames:v", "1", "-filter_threads", "1",
      "-vf", "\(square),\(bounded),setsar=1,format=rgb24", "-threads", "1", "-c:v", "png",
      "-compression_level", "1", "-f", "image2pipe", "pipe:1",
    ]
  }
}

/// A position in a video from which a frame is taken.
package enum FilmMoment: Hashable, Sendable, CaseIterable {
  case afterOneSecond
  /// For videos that are shorter or not seekable.
  case beginning

  fileprivate var seeking: [String] {
    switch self {
    case .afterOneSecond: ["-ss", "1"]
    case .beginning: []
    }
  }

  /// Returns the CPU time of an attempt; the first leaves time for the second.
  fileprivate func cpuSeconds(of all: Int) -> Int {
    switch self {
    case .afterOneSecond: max(1, all / 2)
    case .beginning: all
    }
  }
}

extension ColourConversion {
  fileprivate var vipsOptions: [String] {
    switch self {
    // Without the first option libvips 8.14 exports a picture without a profile from the wrong
    // white. Scanner profiles only have tables for the perceptual intent.
    case .byProfile:
      ["--import-profile", "srgb", "--export-profile", "srgb", "--intent", "perceptual"]
    case .none: []
    }
  }
}

extension ThumbnailFormat {
  /// Standard output in this format, without metadata.
  fileprivate var vipsOptions: String {
    switch self {
    // Transparent areas become white.
    case .jpeg: ".jpg[Q=80,optimize_coding,strip,background=255]"
    case .png: ".png[strip,bitdepth=8]"
    }
  }
}
