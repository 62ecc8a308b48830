; The parts of both installers. scripts/package/windows.mjs sets TREE, OUT and VERSION.
Target amd64-unicode
!ifdef QUICK
  SetCompressor zlib
!else
  SetCompressor /SOLID lzma
!endif
OutFile "${OUT}"
BrandingText "Markbook ${VERSION}"
!include MUI2.nsh
!define MUI_ICON "${TREE}/markbook.ico"
!define MUI_UNICON "${TREE}/markbook.ico"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall"
