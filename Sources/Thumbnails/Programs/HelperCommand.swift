/// The command line of `parley-thumbnail`, as its parent process writes it and the program parses it.
///
/// The descriptors are fixed: the file on standard input, the report on standard error, and the
/// thumbnails in order from ``firstResult`` on.
package struct HelperCommand: Hashable, Sendable {
  /// The descriptor of the first thumbnail.
  package static let firstResult: Int32 = 3

  package enum Task: Hashable, Sendable {
    /// Makes a thumbnail for each box.
    case thumbnails([ThumbnailBox])
    /// Sets up the walls, runs each program once, and reports which walls and programs work.
    case probe
  }

  package var task: Task
  package var programs: ThumbnailPrograms
  package var limits = ThumbnailLimits()
  /// Whether to do nothing if a wall is missing.
  package var requiresWalls = false

  package init(_ task: Task, programs: ThumbnailPrograms) {
    self.task = task
    self.programs = programs
  }

  package var arguments: [String] {
    var words = programs.words
    words += ["--max-pixels=\(limits.maxPixels)", "--max-side=\(limits.maxSide)"]
    words += ["--cpu-seconds=\(limits.cpuSeconds)", "--memory=\(limits.memoryBytes)"]
    words += ["--film-memory=\(limits.filmMemoryBytes)", "--result-bytes=\(limits.resultBytes)"]
    if requiresWalls { words.append("--require-walls") }
    switch task {
    case .probe: words.append("--probe")
    case .thumbnails(let boxes): words += boxes.map { "--box=\($0)" }
    }
    return words
  }

  /// Parses the arguments.
  ///
  /// - Returns: `nil` for an unknown argument, or one without a valid value.
  package init?(arguments: [String]) {
    self.init(.thumbnails([]), programs: ThumbnailPrograms())
    for argument in arguments {
      guard take(argument) else { return nil }
    }
    if case .thumbnails(let boxes) = task, boxes.isEmpty { return nil }
  }

  private mutating func take(_ argument: String) -> Bool {
    let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return take(switch: argument) }
    switch parts[0] {
    case "--vipsthumbnail": programs.vipsthumbnail = parts[1]
    case "--ffmpeg": programs.ffmpeg = parts[1]
    case "--box":
      guard let box = ThumbnailBox(parts[1]), case .thumbnails(let boxes) = task else {
        return false
      }
      task = .thumbnails(boxes + [box])
    default: return takeLimit(parts[0], parts[1])
    }
    return true
  }

  private mutating func take(switch argument: String) -> Bool {
    switch argument {
    case "--probe": task = .probe
    case "--require-walls": requiresWalls = true
    default: return false
    }
    return true
  }

  private mutating func takeLimit(_ name: String, _ text: String) -> Bool {
    guard let value = Int(text), value > 0 else { return false }
    switch name {
    case "--max-pixels": limits.maxPixels = value
    case "--max-side": limits.maxSide = value
    case "--cpu-seconds": limits.cpuSeconds = value
    case "--memory": limits.memoryBytes = value
    case "--film-memory": limits.filmMemoryBytes = value
    case "--result-bytes": limits.resultBytes = value
    default: return false
    }
    return true
  }
}

/// The paths of the decoding programs; `nil` for a missing one.
package struct ThumbnailPrograms: Hashable, Sendable {
  package var vipsthumbnail: String?
  package var ffmpeg: String?

  package init(vipsthumbnail: String? = nil, ffmpeg: String? = nil) {
    self.vipsthumbnail = vipsthumbnail
    self.ffmpeg = ffmpeg
  }

  package var paths: [String] { [vipsthumbnail, ffmpeg].compactMap(\.self) }

  fileprivate var words: [String] {
    [
      vipsthumbnail.map { "--vipsthumbnail=\($0)" }, ffmpeg.map { "--ffmpeg=\($0)" },
    ].compactMap(\.self)
  }
}
