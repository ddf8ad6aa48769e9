;; Emacs 29 and later, or eglot from GNU ELPA: put this into init.el. It shows findings by flymake, `C-h .` the meaning of
;; what is at point, `M-x eglot-code-actions` the fixes, and `M-x eglot-rename` renames a FlowSchema or a level.
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '((yaml-mode yaml-ts-mode) . ("apfctl" "lsp"))))
(add-hook 'yaml-mode-hook #'eglot-ensure)
(add-hook 'yaml-ts-mode-hook #'eglot-ensure)
