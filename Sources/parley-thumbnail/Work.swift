internal import CLinux
internal import Glibc
internal import Thumbnails

/// The work on one file.
struct Work {
  private let command: HelperCommand
  private let runner: ProgramRunner

  init(_ command: HelperCommand, _ runner: ProgramRunner) {
    self.command = command
    self.runner = runner
  }

  /// Makes a thumbnail for each box, until one fails, and reports the results.
  func make(_ boxes: [ThumbnailBox]) -> ThumbnailOutcome {
    var file = InputFile(descriptor: STDIN_FILENO)
    do throws(PictureRefusal) {
      let header = try PictureHeader(of: &file)
      try command.limits.check(header)
      return try make(boxes, of: header)
    } catch {
      Report.write("\(error)")
      return .refused
    }
  }

  private func make(
    _ boxes: [ThumbnailBox], of header: PictureHeader
  ) throws(PictureRefusal) -> ThumbnailOutcome {
    guard let vipsthumbnail = command.programs.vipsthumbnail else { throw .formatNotMade }
    var picture = STDIN_FILENO
    if header.format.isFilm {
      guard let ffmpeg = command.programs.ffmpeg else { throw .formatNotMade }
      picture = csandbox_memory_file("frame")
      let outcome = takeFrame(of: header.format, ffmpeg, into: picture)
      guard outcome == .made else { return outcome }
    } else if let brand = header.stillBrand {
      picture = csandbox_memory_file("still")
      guard InputFile(descriptor: STDIN_FILENO).copy(to: picture, brand: brand) else {
        Report.write("the sequence of pictures cannot be copied")
        return .failed
      }
    }
    var conversion = header.colours.conversion
    for (index, box) in boxes.enumerated() {
      let outcome = convert(&conversion) { conversion in
        runner.run(
          .thumbnail(
            box, header.format.thumbnailFormat, conversion, vipsthumbnail: vipsthumbnail,
            limits: command.limits),
          input: picture, output: HelperCommand.firstResult + Int32(index))
      }
      guard outcome == .made else { return outcome }
      Report.write(.made(index))
    }
    return .made
  }

  /// Runs a program, and again without the profile if libvips cannot use it.
  ///
  /// A profile may be broken, or made for other pixels. libvips reports this before it decodes.
  private func convert(
    _ conversion: inout ColourConversion,
    by run: (ColourConversion) -> (outcome: ThumbnailOutcome, messages: String)
  ) -> ThumbnailOutcome {
    var (outcome, messages) = run(conversion)
    if outcome == .failed, conversion == .byProfile, messages.contains("profile") {
      conversion = .none
      (outcome, messages) = run(conversion)
    }
    if !messages.isEmpty { Report.write(messages) }
    return outcome
  }

  private func takeFrame(
    of format: MediaFormat, _ ffmpeg: String, into output: Int32
  ) -> ThumbnailOutcome {
    var outcome = ThumbnailOutcome.failed
    for moment in FilmMoment.allCases {
      ftruncate(output, 0)
      lseek(output, 0, SEEK_SET)
      outcome = run(
        .frame(at: moment, of: format, ffmpeg: ffmpeg, limits: command.limits),
        input: STDIN_FILENO, output: output)
      // After the end of the video there is no frame, which ffmpeg does not report as an error.
      if outcome == .made, lseek(output, 0, SEEK_END) > 0 { return .made }
    }
    if outcome == .made { Report.write("the film has no frame") }
    return outcome == .made ? .failed : outcome
  }

  private func run(_ program: ProgramCommand, input: Int32, output: Int32) -> ThumbnailOutcome {
    let (outcome, messages) = runner.run(program, input: input, output: output)
    if !messages.isEmpty { Report.write(messages) }
    return outcome
  }
}

/// The file from which thumbnails are made.
struct InputFile: PictureBytes {
  let descriptor: Int32

  func read(at offset: UInt64, count: Int) -> [UInt8] {
    guard let offset = off_t(exactly: offset) else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = max(0, pread(descriptor, buffer.baseAddress, count, offset))
    }
  }
}

extension InputFile {
  /// The maximum length of a sequence of pictures to copy, in bytes.
  private static let longestCopy = 64 << 20
  private static let blockByteCount = 1 << 16

  /// Copies the file with another brand in its header.
  ///
  /// - Returns: `false` if it is too long, or cannot be written.
  func copy(to output: Int32, brand: [UInt8]) -> Bool {
    var offset = 0
    while offset <= Self.longestCopy {
      let block = read(at: UInt64(offset), count: Self.blockByteCount)
      if block.isEmpty {
        return pwrite(output, brand, brand.count, off_t(MediaFormat.brandOffset)) == brand.count
      }
      guard pwrite(output, block, block.count, off_t(offset)) == block.count else { return false }
      offset += block.count
    }
    return false
  }
}

/// The self-test at the start of the gateway.
struct Probe {
  private let command: HelperCommand
  private let runner: ProgramRunner

  init(_ command: HelperCommand, _ runner: ProgramRunner) {
    self.command = command
    self.runner = runner
  }

  /// Reports which walls are set up, and which programs run behind them.
  func run(_ walls: Walls) {
    Report.write(.works(HelperReport.helper))
    if walls.landlock > 0 { Report.write(.landlock(walls.landlock)) }
    if walls.filtersCalls { Report.write(.systemCallFilter) }
    let versions: [(String, ProgramCommand?)] = [
      ("vipsthumbnail", command.programs.vipsthumbnail.map { .version(of: $0, "--version") }),
      ("ffmpeg", command.programs.ffmpeg.map { .version(of: $0, "-version") }),
    ]
    for (name, program) in versions {
      guard let program else { continue }
      let output = csandbox_memory_file("version")
      let (outcome, messages) = runner.run(program, input: output, output: output)
      let printed = InputFile(descriptor: output).read(at: 0, count: Self.versionBytes)
      close(output)
      if outcome != .made {
        Report.write("\(name): \(outcome.rawValue) \(messages)")
      } else if name == "vipsthumbnail", !Self.isRecent(printed) {
        Report.write("libvips 8.13 or later is needed, which can block loaders")
      } else {
        Report.write(.works(name))
      }
    }
  }

  private static let versionBytes = 100

  private static func isRecent(_ printed: [UInt8]) -> Bool {
    let version = VipsVersion(printed: String(decoding: printed, as: UTF8.self))
    return version.map { $0 >= .oldest } ?? false
  }
}
