/// Whether thumbnails are made.
package enum ThumbnailMode: String, Hashable, Sendable, CaseIterable {
  /// If `vipsthumbnail` works.
  case auto
  /// Always: the start fails when `vipsthumbnail` does not work.
  case on
  case off
}

/// The walls without which nothing is decoded.
package enum ThumbnailSandbox: String, Hashable, Sendable, CaseIterable {
  /// Those that stand.
  case auto
  /// Landlock and the filter of system calls, at least.
  case required
}

/// The findings about this machine at the start.
package struct ThumbnailProbe: Hashable, Sendable {
  package var walls = ThumbnailWalls()
  /// The programs that were found and have run behind the walls.
  package var programs = ThumbnailPrograms()
  /// A line for each thing that is missing.
  package var missing: [String] = []

  package init() {}

  /// Decides what follows for the server.
  package func decision(
    mode: ThumbnailMode, sandbox: ThumbnailSandbox
  ) -> ThumbnailDecision {
    switch (mode, obstacle(sandbox)) {
    case (.off, _): .off("thumbnails.mode is off")
    case (.auto, nil), (.on, nil): .make
    case (.auto, let obstacle?) where programs.vipsthumbnail == nil: .off(obstacle)
    // Walls that are required must not be missed in silence.
    case (.auto, let obstacle?), (.on, let obstacle?): .fail(obstacle)
    }
  }

  private func obstacle(_ sandbox: ThumbnailSandbox) -> String? {
    if programs.vipsthumbnail == nil {
      return missing.isEmpty ? "vipsthumbnail does not work" : missing.joined(separator: "; ")
    }
    switch sandbox {
    case .auto: return nil
    case .required:
      return walls.isSufficient
        ? nil : "thumbnails.sandbox is required, but there is only: \(walls.summary)"
    }
  }
}

/// The consequence of a probe.
package enum ThumbnailDecision: Hashable, Sendable {
  case make
  /// The server runs without thumbnails, for a reason.
  case off(String)
  /// The server must not start, for a reason.
  case fail(String)
}
