export const homeRoutes = []
